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

/// Of so many operations a body is long enough to write and read its result at no cost beside them. A longer chain
/// stays in pieces, which kernels of limited length are made of.
static constexpr size_t longBody = 128;

/// Where fusing the producer of `operand` neither computes an element more than
/// once nor keeps the producer alive beside the copy.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !isElementwiseLoop(producer) || !isElementwiseLoop(consumer))
    return false;
  if (isMove(producer))
    return true;
  return producer->hasOneUse() && consumer.getMatchingIndexingMap(operand).isPermutation() &&
         producer.getBlock()->getOperations().size() + consumer.getBlock()->getOperations().size() <= longBody + 2;
}

/// Fuses `consumer` with the producer of an operand that is not in `done`; adds what comes of it.
static bool fuseOnce(RewriterBase &rewriter, linalg::GenericOp consumer, DenseSet<Operation *> &done) {
  // From the last one: what is fused last is computed first.
  SmallVector<OpOperand *> operands = consumer.getDpsInputOperands();
  for (OpOperand *operand : llvm::reverse(operands)) {
    Operation *producer = operand->get().getDefiningOp();
    if (done.contains(producer) || !isWorthFusing(operand) || !producer->hasOneUse() ||
        !linalg::areElementwiseOpsFusable(operand))
      continue;
    rewriter.setInsertionPoint(consumer);
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(fused))
      continue;
    for (OpResult result : consumer->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
    rewriter.eraseOp(consumer);
    rewriter.eraseOp(producer);
    done.insert(fused->fusedOp);
    return true;
  }
  return false;
}

/// Fusing copies both bodies, so a chain fused one operation after the other takes time by the square of its length:
/// neighbours are fused first, then pairs of these.
static LogicalResult fusePairs(Operation *root, const FrozenRewritePatternSet &simplify) {
  IRRewriter rewriter(root->getContext());
  for (bool changed = true; changed;) {
    // Without what a conversion leaves: a second use of an operand, as what the result is written over.
    if (failed(applyPatternsGreedily(root, simplify)))
      return failure();
    changed = false;
    SmallVector<linalg::GenericOp> ops;
    root->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    DenseSet<Operation *> done;
    // Producers first, each gone once it is fused.
    for (linalg::GenericOp op : ops)
      changed |= fuseOnce(rewriter, op, done);
  }
  return success();
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
    RewritePatternSet simplify(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(simplify, [](OpOperand *) { return false; });
    linalg::populateEraseUnusedOperandsAndResultsPatterns(simplify);
    // What a loop without sums adds to is an operand like any other: as a result it would have to be stored.
    linalg::populateMoveInitOperandsToInputPattern(simplify);
    if (failed(fusePairs(getOperation(), std::move(simplify))))
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
