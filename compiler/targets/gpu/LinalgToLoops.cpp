//===- LinalgToLoops.cpp - linalg to loops, except on tiles ---------------===//
//
// Replaces linalg operations on buffers by loops. Operations on tiles remain:
// heddle-tiles-to-lanes lowers them.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "tiles/TilePlaces.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_LINALGTOLOOPS
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct LinalgToLoops : heddle::impl::LinalgToLoopsBase<LinalgToLoops> {
  void runOnOperation() override {
    if (failed(holdsTiles(getOperation()) ? lowerBesideTiles() : lowerAll()))
      signalPassFailure();
  }
  LogicalResult lowerAll();
  LogicalResult lowerBesideTiles();
};
} // namespace

LogicalResult LinalgToLoops::lowerAll() {
  OpPassManager loops(func::FuncOp::getOperationName());
  loops.addPass(createConvertLinalgToLoopsPass());
  return runPipeline(loops, getOperation());
}

LogicalResult LinalgToLoops::lowerBesideTiles() {
  SmallVector<linalg::LinalgOp> ops;
  getOperation()->walk([&](linalg::LinalgOp op) {
    if (!isOnTiles(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op.emitError("cannot replace this operation by loops");
    rewriter.eraseOp(op);
  }
  return success();
}
