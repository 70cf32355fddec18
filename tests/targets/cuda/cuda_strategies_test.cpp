//===- cuda_strategies_test.cpp - every strategy for GPUs, hard inputs ----===//
//
// Each embedded strategy for GPUs in PTX, which is interpreted: all operations that it is for, on denormal numbers,
// infinities and scores that leave nothing of a row.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/EveryStrategy.h"

struct CudaStrategies : OnInterpreter<EveryStrategy> {};

TEST_P(CudaStrategies, AreRight) { checkStrategy(); }
INSTANTIATE_EVERY_STRATEGY(CudaStrategies, "gpu");
