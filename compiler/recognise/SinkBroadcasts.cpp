//===- SinkBroadcasts.cpp - elementwise operations before broadcasts ------===//
//
// Exporters broadcast masks to the shape of the scores before they convert the masks to numbers. For an elementwise
// operation f, a tensor x and a splat constant c, f(broadcast(x), c) = broadcast(f(x, c)). Therefore f can be applied
// to the small tensor x. A layer then reads the small tensor, not the broadcast tensor.
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include "Recognisers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static bool isSplat(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return elements && elements.isSplat();
}

namespace {
/// Matches an elementwise operation whose operands are splat constants and at least one broadcast. All broadcasts must
/// add the same dimensions.
struct SinkBroadcasts : RewritePattern {
  explicit SinkBroadcasts(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !OpTrait::hasElementwiseMappableTraits(op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()) || !hasStaticShapes(op))
      return failure();
    linalg::BroadcastOp first;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<linalg::BroadcastOp>();
      if (!broadcast && !isSplat(operand))
        return failure();
      if (broadcast && first && broadcast.getDimensions() != first.getDimensions())
        return failure();
      first = first ? first : broadcast;
    }
    if (!first)
      return failure();
    ArrayRef<int64_t> small = cast<RankedTensorType>(first.getInput().getType()).getShape();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<linalg::BroadcastOp>()) {
        operands.push_back(broadcast.getInput());
        continue;
      }
      auto elements = cast<DenseElementsAttr>(operand.getDefiningOp<arith::ConstantOp>().getValue());
      auto type = cast<RankedTensorType>(operand.getType()).clone(small);
      operands.push_back(arith::ConstantOp::create(rewriter, op->getLoc(), elements.resizeSplat(type)));
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Operation *sunk = rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands, type.clone(small),
                                      op->getAttrs());
    Value init = tensor::EmptyOp::create(rewriter, op->getLoc(), type.getShape(), type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::BroadcastOp>(op, sunk->getResult(0), init, first.getDimensions());
    return success();
  }
};
} // namespace

void heddle::populateSinkBroadcasts(RewritePatternSet &patterns) {
  patterns.add<SinkBroadcasts>(patterns.getContext());
}
