//===- cuda_strategies_test.cpp - GPU strategies on hard inputs -----------===//
//
// Compiles each embedded GPU strategy to PTX and runs the code in the PTX
// interpreter, for all operations for which the strategy is eligible. The
// inputs contain denormal numbers, infinities, and attention scores with which
// a query attends to no key.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/EveryStrategy.h"

struct CudaStrategies : OnInterpreter<EveryStrategy> {};

TEST_P(CudaStrategies, AreRight) { checkStrategy(); }
INSTANTIATE_EVERY_STRATEGY(CudaStrategies, "cuda");
