//===- FuseElementwise.cpp - fuses elementwise operations -----------------===//
//
// The pass heddle-fuse-elementwise turns elementwise operations outside of layers into linalg.generic and fuses them,
// so that intermediate results are not written to memory.
//
//===----------------------------------------------------------------------===//

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

/// Returns whether the operation only moves elements. Repeating such an operation costs only a load.
static bool isMove(linalg::LinalgOp op) { return op.getBlock()->getOperations().size() == 1; }

/// The maximum number of operations in a fused body, without terminators. In a body with so many operations, the cost
/// of writing and reading the result is negligible. Longer chains become several loops, because the length of kernels
/// is limited.
static constexpr size_t longBody = 128;

/// Returns whether the operation that defines `operand` (the producer) should be fused into the operation that reads it
/// (the consumer). Both must be elementwise linalg.generic ops. A producer that only moves elements is always fused.
/// Any other producer must have no other use, no element may be computed more than once, and the fused body must not be
/// too long.
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

/// Fuses `consumer` with the producer of one operand, unless the producer is in `done` (the results of earlier fusions
/// in this round), and adds the fused operation to `done`. Returns whether anything was fused.
static bool fuseOnce(RewriterBase &rewriter, linalg::GenericOp consumer, DenseSet<Operation *> &done) {
  // Operands are visited from the last to the first, because the body of a producer is inserted before bodies that were
  // fused earlier. The fused body then computes the operands in their order.
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

/// Fuses chains of elementwise operations: first pairs of adjacent operations, then pairs of fused pairs, and so on.
/// Each fusion copies both bodies, so fusing a chain one operation at a time would take quadratic time in its length.
static LogicalResult fusePairs(Operation *root, const FrozenRewritePatternSet &simplify) {
  IRRewriter rewriter(root->getContext());
  for (bool changed = true; changed;) {
    // The conversion to linalg uses an operand as the initial value of the result; the patterns `simplify` remove such
    // uses.
    if (failed(applyPatternsGreedily(root, simplify)))
      return failure();
    changed = false;
    SmallVector<linalg::GenericOp> ops;
    root->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    DenseSet<Operation *> done;
    // Producers precede consumers in the list, and a producer is erased once it is fused.
    for (linalg::GenericOp op : ops)
      changed |= fuseOnce(rewriter, op, done);
  }
  return success();
}

namespace {
/// Converts broadcasts, and transposes that only elementwise operations read, to linalg.generic. The transpose of a
/// layer's operand remains a linalg.transpose.
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
    // The order of the pattern sets matters: the last set generalizes broadcasts, which can be fused only then.
    RewritePatternSet toLinalg(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(toLinalg);
    if (failed(applyPatternsGreedily(getOperation(), std::move(toLinalg))))
      return signalPassFailure();
    RewritePatternSet simplify(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(simplify, [](OpOperand *) { return false; });
    linalg::populateEraseUnusedOperandsAndResultsPatterns(simplify);
    // The initial value of an elementwise loop becomes a regular input: an initial value would have to be stored in
    // memory.
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
