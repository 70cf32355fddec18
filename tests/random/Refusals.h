//===- Refusals.h - expected errors of random cases -------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_REFUSALS_H
#define HEDDLE_TESTS_RANDOM_REFUSALS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

/// Returns a short name of the expected error that matches `error`, or nullopt if the error is not expected, in
/// which case the random case fails.
std::optional<std::string> findRefusal(llvm::StringRef error);

#endif // HEDDLE_TESTS_RANDOM_REFUSALS_H
