//===- Shrink.h - smaller cases that fail alike -----------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_SHRINK_H
#define HEDDLE_TESTS_RANDOM_SHRINK_H

#include "RandomCase.h"

#include <functional>
#include <vector>

/// Whether a smaller case still fails as the first one did.
using FailsAlike = std::function<bool(const RandomCase &)>;

/// Takes from the case what it fails without, until nothing is left to take or `tries` cases have been tried: options,
/// words of a quoted operation, operations, results, constants, sizes and types of a module.
RandomCase shrink(const RandomCase &chosen, const FailsAlike &fails, unsigned tries);

/// Text a little smaller than this, in the order in which it should be tried: of a quoted operation, and of a module.
std::vector<std::string> smallerOperations(const std::string &operation);
std::vector<std::string> smallerModules(const std::string &text);

#endif // HEDDLE_TESTS_RANDOM_SHRINK_H
