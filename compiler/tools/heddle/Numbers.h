//===- Numbers.h - integers on the command line -----------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NUMBERS_H
#define HEDDLE_TOOLS_NUMBERS_H

#include "Command.h"

#include <cstdint>

namespace heddle {

/// Returns a validator for `Option::transform` that accepts only decimal integers from `low` to `high`. For any other
/// text, the error message quotes the text as the user typed it. The validator is necessary because CLI11 itself would
/// read 010 as an octal number and 1'0 as ten, and would clamp a number that is too large for its type.
CLI::Validator integerBetween(uint64_t low, uint64_t high);

/// Returns a validator that accepts any decimal integer of any length. The subcommand must check the value itself.
CLI::Validator anyInteger();

/// Returns a validator like `integerBetween` for numbers of bytes, with or without a unit (KB, MB, GiB, ...). It
/// replaces the text by the number of bytes.
CLI::Validator bytesBetween(uint64_t low, uint64_t high);

} // namespace heddle

#endif // HEDDLE_TOOLS_NUMBERS_H
