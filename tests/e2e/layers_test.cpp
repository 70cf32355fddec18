//===- layers_test.cpp - layers compiled for this machine -----------------===//
//
// Most operations have sizes that are not multiples of a tile.
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
