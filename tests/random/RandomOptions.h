//===- RandomOptions.h - how a random case is compiled ----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H
#define HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H

#include "Random.h"
#include "RandomCase.h"

/// The seed of its inputs, threads, a CPU or `device`, a strategy with its knobs, hard inputs.
void addRandomOptions(RandomCase &chosen, Random &random, const std::string &device);

#endif // HEDDLE_TESTS_RANDOM_RANDOMOPTIONS_H
