//===- FuseResiduals.cpp - additions as residual operands -----------------===//
//
// The pass heddle-fuse-residuals makes additions part of layers. An addition after a linear or feed-forward layer costs
// nothing in the layer's epilogue, so it is fused there if possible. An addition is fused into the following norm only
// if both terms are in memory anyway.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_FUSERESIDUALS
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns whether the value is broadcast or constant. Such a value is computed where it is used; as a residual, it
/// would have to be written to memory.
static bool isSpread(Value value) {
  Operation *op = value.getDefiningOp();
  while (isReshape(op))
    op = op->getOperand(0).getDefiningOp();
  return op && (isa<linalg::BroadcastOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
}

/// Returns whether the layer can add a residual at `place` (First: to its input, Last: to its result) and has none yet.
static bool takesResidual(LayerOpInterface layer, ResidualPlace place) {
  return layer.getResidualPlace() == place && layer.getResidualMutable().empty();
}

/// Returns the layer whose result is `value`, possibly reshaped, if the result has no other use and the layer adds a
/// residual to its result but has none yet.
static LayerOpInterface findLayer(Value value) {
  while (value.hasOneUse() && isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto layer = value.hasOneUse() ? value.getDefiningOp<LayerOpInterface>() : LayerOpInterface();
  return layer && takesResidual(layer, ResidualPlace::Last) ? layer : LayerOpInterface();
}

/// Returns `value` reshaped to `type`, which has as many elements; null if this needs more than one reshape op.
static Value reshapeTo(PatternRewriter &rewriter, Location loc, Value value, RankedTensorType type) {
  auto source = cast<RankedTensorType>(value.getType());
  if (source == type)
    return value;
  auto groups = source.getRank() == type.getRank() ? std::nullopt : getReassociationIndicesForReshape(source, type);
  if (!groups)
    return {};
  if (source.getRank() < type.getRank())
    return tensor::ExpandShapeOp::create(rewriter, loc, type, value, *groups);
  return tensor::CollapseShapeOp::create(rewriter, loc, type, value, *groups);
}

/// Rewrites layer(x) + y: y becomes the residual of the layer, and the layer is moved after the definition of y. Fails
/// if y is broadcast or constant.
static LogicalResult fuseIntoLayer(arith::AddFOp add, PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(add.getType());
  if (!type || !type.hasStaticShape())
    return failure();
  LayerOpInterface left = findLayer(add.getLhs()), right = findLayer(add.getRhs());
  // If both terms are results of layers, the result of the earlier layer becomes the residual of the later layer.
  if (left && right && left->getBlock() == right->getBlock() && left->isBeforeInBlock(right))
    left = nullptr;
  LayerOpInterface layer = left ? left : right;
  Value residual = left ? add.getRhs() : add.getLhs();
  if (!layer || layer->getBlock() != add->getBlock() || isSpread(residual))
    return failure();
  residual = reshapeTo(rewriter, add.getLoc(), residual, cast<RankedTensorType>(layer->getResult(0).getType()));
  if (!residual)
    return failure();
  auto fused = cast<LayerOpInterface>(rewriter.clone(*layer));
  fused.getResidualMutable().assign(residual);
  rewriter.replaceOp(add, reshapeTo(rewriter, add.getLoc(), fused->getResult(0), type));
  return success();
}

namespace {
/// Rewrites norm(a + b): b becomes the residual of the norm, if the norm has no residual yet, the sum has no other use,
/// and both terms are in memory: each is an argument or the result of a heddle operation, possibly reshaped.
struct FuseIntoInput : OpInterfaceRewritePattern<LayerOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(LayerOpInterface norm, PatternRewriter &rewriter) const override {
    auto add = norm.getInputMutable().get().getDefiningOp<arith::AddFOp>();
    if (!takesResidual(norm, ResidualPlace::First) || !add || !add->hasOneUse())
      return failure();
    for (Value term : add->getOperands()) {
      Operation *op = term.getDefiningOp();
      while (isReshape(op))
        op = op->getOperand(0).getDefiningOp();
      if (op && !isa<HeddleDialect>(op->getDialect()))
        return failure();
    }
    rewriter.modifyOpInPlace(norm, [&] {
      norm.getInputMutable().set(add.getLhs());
      norm.getResidualMutable().assign(add.getRhs());
    });
    return success();
  }
};

struct FuseResiduals : heddle::impl::FuseResidualsBase<FuseResiduals> {
  void runOnOperation() override {
    // The additions after layers come first: if a layer adds a residual, the norm does not have to read it.
    RewritePatternSet layers(&getContext()), norms(&getContext());
    layers.add(fuseIntoLayer);
    norms.add<FuseIntoInput>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(layers))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(norms))))
      signalPassFailure();
  }
};
} // namespace
