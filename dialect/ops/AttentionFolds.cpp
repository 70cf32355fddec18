//===- AttentionFolds.cpp - canonicalization of attention -----------------===//

#include "Folds.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Drops a mask that is true everywhere.
static LogicalResult dropTrueMask(AttentionOp op, PatternRewriter &rewriter) {
  DenseIntElementsAttr values;
  if (!op.getMask() || !matchPattern(op.getMask(), m_Constant(&values)) ||
      !llvm::all_of(values.getValues<bool>(), [](bool attend) { return attend; }))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  return success();
}

/// Drops a bias that is 0 everywhere.
static LogicalResult dropZeroBias(AttentionOp op, PatternRewriter &rewriter) {
  return success(dropZero(op, op.getBiasMutable(), rewriter));
}

/// Drops attributes without effect: a scale that equals the default, a masked_score that is -inf or that no mask uses,
/// and a window without limits.
static LogicalResult dropDefaults(AttentionOp op, PatternRewriter &rewriter) {
  int64_t headSize = op.getSizes().headSize;
  bool scale = op.getScale() && !ShapedType::isDynamic(headSize) &&
               op.getScale()->convertToDouble() == 1.0 / std::sqrt(double(headSize));
  bool score = op.getMaskedScore() &&
               (!op.getMask() || (op.getMaskedScore()->isInfinity() && op.getMaskedScore()->isNegative()));
  bool window = op.getWindow() && op.getWindowLeft() < 0 && op.getWindowRight() < 0;
  if (!scale && !score && !window)
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    if (scale)
      op.removeScaleAttr();
    if (score)
      op.removeMaskedScoreAttr();
    if (window)
      op.removeWindowAttr();
  });
  return success();
}

/// Drops the right extent of a window in two cases: if the extent is 0, `causal` removes the same keys and is set
/// instead; if `causal` is already set, it removes all keys that the extent removes.
static LogicalResult mergeCausalWindow(AttentionOp op, PatternRewriter &rewriter) {
  if (op.getWindowRight() < 0 || (op.getCausal() == Causal::None && op.getWindowRight() != 0))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    if (op.getCausal() == Causal::None)
      op.setCausal(Causal::LowerRight);
    op.setWindow(SmallVector<int64_t>{op.getWindowLeft(), -1});
  });
  return success();
}

/// Replaces the op by one without the second result, the probabilities, if this result has no uses. Then lowerings need
/// not store the probabilities.
static LogicalResult dropUnusedWeights(AttentionOp op, PatternRewriter &rewriter) {
  if (!op.getWithWeights() || !op.getWeights().use_empty())
    return failure();
  auto narrow = cast<AttentionOp>(op->cloneWithoutRegions());
  OperationState state(op.getLoc(), AttentionOp::getOperationName());
  state.addOperands(op->getOperands());
  state.addTypes(op.getResult().getType());
  state.useProperties(narrow.getProperties());
  state.getOrAddProperties<AttentionOp::Properties>().with_weights = nullptr;
  narrow->destroy();
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *replacement = rewriter.create(state);
  rewriter.replaceAllUsesWith(op.getResult(), replacement->getResult(0));
  rewriter.eraseOp(op);
  return success();
}

/// Drops a region that yields its first argument, the score or probability, unchanged. If no region remains, also drops
/// `reads`, the tensors that only regions read.
static LogicalResult dropIdentity(AttentionOp op, PatternRewriter &rewriter) {
  for (Region &region : op->getRegions()) {
    if (region.empty() || region.front().getTerminator()->getOperand(0) != region.getArgument(0))
      continue;
    rewriter.modifyOpInPlace(op, [&] {
      rewriter.eraseBlock(&region.front());
      if (!op.hasScore() && !op.hasProbability())
        op.getReadsMutable().clear();
    });
    return success();
  }
  return failure();
}

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropTrueMask).add(dropZeroBias).add(dropDefaults).add(mergeCausalWindow).add(dropUnusedWeights);
  patterns.add(dropIdentity);
}
