//===- Refusals.h - expected errors of random cases -------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_REFUSALS_H
#define HEDDLE_TESTS_RANDOM_REFUSALS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

/// Returns the regular expression of the expected error that matches the line `error`. Returns nullopt if no expected
/// error matches; then the random case counts as failed.
std::optional<std::string> findRefusal(llvm::StringRef error);

#endif // HEDDLE_TESTS_RANDOM_REFUSALS_H
