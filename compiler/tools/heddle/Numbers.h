//===- Numbers.h - integers on the command line -----------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NUMBERS_H
#define HEDDLE_TOOLS_NUMBERS_H

#include "Command.h"

#include <cstdint>

namespace heddle {

/// A validator for `Option::transform`, which accepts only decimal integers from `low` to `high` and quotes all other
/// texts as they were typed in its error. CLI11 itself would read 010 as octal and 1'0 as ten, and would clamp a number
/// that is too large for its type.
CLI::Validator integerBetween(uint64_t low, uint64_t high);

/// A validator that accepts any decimal integer, of any length. The program checks its value itself.
CLI::Validator anyInteger();

/// A validator like `integerBetween` for numbers of bytes, with a unit (KB, MB, GiB, ...) or without one.
CLI::Validator bytesBetween(uint64_t low, uint64_t high);

} // namespace heddle

#endif // HEDDLE_TOOLS_NUMBERS_H
