//===- RandomOptions.h - random options of heddle verify --------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H
#define HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H

#include "Random.h"
#include "RandomCase.h"

/// Adds random options of `heddle verify` to the case: the seed of the inputs, the number of threads, the CPU, a
/// strategy with knobs, adversarial inputs, and a precision. `device` is a name such as "vulkan"; if it is empty, the
/// case runs on the CPU. For the option --precision, the weights of the case may become constants.
void addRandomOptions(RandomCase &chosen, Random &random, const std::string &device);

#endif // HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H
