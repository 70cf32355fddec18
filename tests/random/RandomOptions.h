//===- RandomOptions.h - random compile options -----------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H
#define HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H

#include "Random.h"
#include "RandomCase.h"

/// Adds random options: the seed of the inputs, threads, a CPU or `device`, a strategy with knobs, hard inputs and a
/// precision.
void addRandomOptions(RandomCase &chosen, Random &random, const std::string &device);

#endif // HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H
