//===- cuda_strategies_test.cpp - GPU strategies on hard inputs -----------===//
//
// Runs each embedded GPU strategy as PTX in the interpreter: all operations for
// which it is eligible, with denormal numbers, infinities, and scores that
// empty a row.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/EveryStrategy.h"

struct CudaStrategies : OnInterpreter<EveryStrategy> {};

TEST_P(CudaStrategies, AreRight) { checkStrategy(); }
INSTANTIATE_EVERY_STRATEGY(CudaStrategies, "gpu");
