//===- Shrink.h - reduction of failing cases --------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_SHRINK_H
#define HEDDLE_TESTS_RANDOM_SHRINK_H

#include "RandomCase.h"

#include <functional>
#include <vector>

/// Returns whether a smaller case fails in the same way as the original one.
using FailsAlike = std::function<bool(const RandomCase &)>;

/// Reduces a case as long as it fails in the same way, until nothing can be removed or `tries` cases were tried.
/// Removes options of the command, words of a quoted operation, or operations and results of a module. Also simplifies
/// constants of a module, reduces its sizes, and replaces its float types by f32.
RandomCase shrink(const RandomCase &chosen, const FailsAlike &fails, unsigned tries);

/// Return slightly smaller quoted operations or modules, in the order in which they should be tried.
std::vector<std::string> smallerOperations(const std::string &operation);
std::vector<std::string> smallerModules(const std::string &text);

#endif // HEDDLE_TESTS_RANDOM_SHRINK_H
