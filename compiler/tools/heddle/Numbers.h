//===- Numbers.h - integers on the command line -----------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NUMBERS_H
#define HEDDLE_TOOLS_NUMBERS_H

#include "Command.h"

#include <cstdint>

namespace heddle {

/// Returns a validator for `Option::transform` that accepts only decimal integers from `low` to `high`. Its error
/// quotes any other text as typed. CLI11 itself would read 010 as an octal number and 1'0 as ten, and would clamp a
/// number that is too large for its type.
CLI::Validator integerBetween(uint64_t low, uint64_t high);

/// Returns a validator that accepts any decimal integer of any length. The command checks the value itself.
CLI::Validator anyInteger();

/// Returns a validator like `integerBetween` for numbers of bytes, with or without a unit (KB, MB, GiB, ...).
CLI::Validator bytesBetween(uint64_t low, uint64_t high);

} // namespace heddle

#endif // HEDDLE_TOOLS_NUMBERS_H
