//===- large_seeds_test.cpp - models too large for the repository ---------===//

#include "LargeSeeds.h"

INSTANTIATE_LARGE_SEEDS(LargeSeeds);
