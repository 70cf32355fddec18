//===- Numbers.h - integers on the command line -----------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NUMBERS_H
#define HEDDLE_TOOLS_NUMBERS_H

#include "Command.h"

#include <cstdint>

namespace heddle {

/// For Option::transform: takes decimal integers from `low` to `high` alone, and names others as they were typed. CLI11
/// would read 010 as octal, 1'0 as ten, and take what is too large for its type as the largest.
CLI::Validator integerBetween(uint64_t low, uint64_t high);

/// Likewise of any integers, of which the program says what is wrong with them.
CLI::Validator anyInteger();

/// Likewise of bytes with a unit or none (KB, MB, GiB, ...).
CLI::Validator bytesBetween(uint64_t low, uint64_t high);

} // namespace heddle

#endif // HEDDLE_TOOLS_NUMBERS_H
