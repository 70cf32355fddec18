//===- layers_test.cpp - the other compiled layers ------------------------===//
//
// Compiles operations for this machine whose sizes no tile divides.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "Operations.h"

using Layers = QuotedOperations;

TEST_P(Layers, AgreeWithTheInterpreter) {
  check(operationsOf(in::Here)[GetParam()],
        [&](mlir::func::FuncOp main) { return *heddle::randomInputs(main, GetParam()); });
}
INSTANTIATE_OPERATIONS(Layers, Here);
