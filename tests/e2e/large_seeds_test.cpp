//===- large_seeds_test.cpp - models too large to be kept here, compiled ------===//

#include "LargeSeeds.h"

INSTANTIATE_LARGE_SEEDS(LargeSeeds);
