//===- layers_test.cpp - layers compiled for this machine -----------------===//
//
// Compiles the operations with in::Here in the table of Operations.cpp for this machine and compares results with the
// interpreter. Most operations have sizes that are not multiples of a tile.
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
