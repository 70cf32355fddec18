//===- FuseElementwise.cpp - elementwise operations as few loops ----------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "heddle/Passes.h.inc"
} // namespace heddle

static bool isElementwiseLoop(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops();
}

/// Only moves elements: what it costs to do so again is a load.
static bool isMove(linalg::LinalgOp op) { return op.getBlock()->getOperations().size() == 1; }

/// Where fusing the producer of `operand` neither computes an element more than
/// once nor keeps the producer alive beside the copy.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !isElementwiseLoop(producer) || !isElementwiseLoop(consumer))
    return false;
  if (isMove(producer))
    return true;
  return producer->hasOneUse() && consumer.getMatchingIndexingMap(operand).isPermutation();
}

namespace {
/// Broadcasts, and transposes that only elementwise operations read: a layer's
/// operand keeps its named transpose.
struct GeneralizeMoves : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    bool elementwiseUses = llvm::all_of(op->getUsers(), isElementwiseLoop) && !op->use_empty();
    if (!isa<linalg::BroadcastOp>(op) && !(isa<linalg::TransposeOp>(op) && elementwiseUses))
      return failure();
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

struct FuseElementwise : heddle::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    // In this order: broadcasts fuse only once they are generic.
    RewritePatternSet toLinalg(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(toLinalg);
    if (failed(applyPatternsGreedily(getOperation(), std::move(toLinalg))))
      return signalPassFailure();
    RewritePatternSet fusion(&getContext());
    fusion.add<GeneralizeMoves>(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(fusion, isWorthFusing);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(fusion);
    if (failed(applyPatternsGreedily(getOperation(), std::move(fusion))))
      signalPassFailure();
  }
};
} // namespace
