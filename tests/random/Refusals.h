//===- Refusals.h - what heddle may say no to -------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_REFUSALS_H
#define HEDDLE_TESTS_RANDOM_REFUSALS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

/// Which of the refusals that are no failure of a random case an error is, in words that tell one from another;
/// none where it is something else, which a random case must not meet.
std::optional<std::string> findRefusal(llvm::StringRef error);

#endif // HEDDLE_TESTS_RANDOM_REFUSALS_H
