//===- Shrink.h - reduction of failing cases --------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_SHRINK_H
#define HEDDLE_TESTS_RANDOM_SHRINK_H

#include "RandomCase.h"

#include <functional>
#include <vector>

/// Returns whether a smaller case fails in the same way as the original case.
using FailsAlike = std::function<bool(const RandomCase &)>;

/// Returns the smallest case found that still fails in the same way. The search ends if no smaller case fails, or after
/// `tries` calls of `fails`. It removes options of the command, knobs of a quoted operation, or operations and results
/// of a module. It also simplifies constants of a module, reduces sizes, and replaces float types by f32.
RandomCase shrink(const RandomCase &chosen, const FailsAlike &fails, unsigned tries);

/// Return slightly smaller quoted operations or modules, in the order in which they should be tried.
std::vector<std::string> smallerOperations(const std::string &operation);
std::vector<std::string> smallerModules(const std::string &text);

#endif // HEDDLE_TESTS_RANDOM_SHRINK_H
