//===- cuda_strategies_test.cpp - strategies for GPUs on hard inputs ------===//
//
// Interprets each embedded GPU strategy as PTX: all operations that it is for, with denormal numbers, infinities and
// scores that empty a row.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/EveryStrategy.h"

struct CudaStrategies : OnInterpreter<EveryStrategy> {};

TEST_P(CudaStrategies, AreRight) { checkStrategy(); }
INSTANTIATE_EVERY_STRATEGY(CudaStrategies, "gpu");
