//===- large_seeds_test.cpp - models too large for the repository ---------===//
//
// Compiles the models of LargeSeeds.cpp for this machine, counts the recognised layers, and compares results with the
// interpreter.
//
//===----------------------------------------------------------------------===//

#include "LargeSeeds.h"

INSTANTIATE_LARGE_SEEDS(LargeSeeds);
