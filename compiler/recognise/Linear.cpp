//===- Linear.cpp - linear layers from products and additions -------------===//

#include "Match.h"
#include "Recognisers.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the tensor is a stored weight, which may be quantized, or a constant.
static bool isWeight(Value value) {
  if (auto stored = value.getDefiningOp<DequantizeOp>(); stored && !stored.isPlain())
    return llvm::all_of(stored->getOperands(), isWeight);
  return storedValue(value).getDefiningOp<WeightOp>() || matchPattern(value, m_Constant());
}

LogicalResult heddle::recogniseLinear(Operation *op, Recognition &recognition) {
  StringRef reason;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalg::isaContractionOpInterface(linalgOp))
    return failure();
  std::optional<Product> product = matchProduct(op, reason);
  if (!product)
    return recognition.reject(op, reason);
  std::optional<View> input = product->lhsView(product->batch), weight = product->rhsView(product->batch);
  if (!input || !weight || !isWeight(weight->base))
    return recognition.reject(op, "its right operand is not a weight");
  unsigned leading = product->batch.size();
  for (unsigned dim = 0; dim < leading; ++dim)
    if (weight->strides[dim] != 0)
      return recognition.reject(op, "its right operand has a different weight for each entry of the batch");
  weight->sizes.erase(weight->sizes.begin(), weight->sizes.begin() + leading);
  weight->strides.erase(weight->strides.begin(), weight->strides.begin() + leading);

  // The extents of weights must be fixed, because weights are packed into panels when the library is written.
  if (Sizes sizes(op); !sizes.of(product->k).isFixed() || !sizes.of(product->n).isFixed())
    return recognition.reject(op, "an extent of its weight lies in a range");

  // If tensor.collapse_shape merged leading dimensions of the input, use the tensor before the collapse, so that the
  // layer keeps these dimensions.
  IRRewriter &rewriter = recognition.rewriter;
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  ArrayRef<int64_t> resultShape = cast<RankedTensorType>(product->result().getType()).getShape();
  Value source;
  if (input->isContiguous()) {
    source = product->lhs();
    while (auto collapse = source.getDefiningOp<tensor::CollapseShapeOp>()) {
      if (collapse.getSrcType().getShape().back() != product->k)
        break;
      source = collapse.getSrc();
    }
    // Do not use `source` if a transpose, or the index maps of the product, changed the order of its elements.
    std::optional<View> rows = traceViewAs(source, input->sizes);
    if (cast<RankedTensorType>(source.getType()).getShape().back() != product->k || !rows || !(*rows == *input))
      source = {};
  }
  if (!source)
    source = materialize(rewriter, loc, *input);
  SmallVector<int64_t> shape(cast<RankedTensorType>(source.getType()).getShape());
  shape.back() = product->n;
  Value matrix = materialize(rewriter, loc, *weight);
  auto type = cast<RankedTensorType>(product->result().getType()).clone(shape);
  auto linear = LinearOp::create(rewriter, loc, type, source, matrix, /*bias=*/Value(), /*residual=*/Value(),
                                 Activation::None, RowRoundingAttr());
  rewriter.replaceAllUsesWith(product->result(), reshape(rewriter, loc, linear.getResult(), resultShape));
  return success();
}

LogicalResult heddle::recogniseLinearBias(Operation *op, Recognition &recognition) {
  auto add = dyn_cast<arith::AddFOp>(op);
  if (!add || !isa<RankedTensorType>(add.getType()))
    return failure();
  for (auto [x, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    Value hidden = x;
    while (hidden.hasOneUse() && isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(hidden.getDefiningOp()))
      hidden = hidden.getDefiningOp()->getOperand(0);
    auto linear = hidden.getDefiningOp<LinearOp>();
    if (!linear || !hidden.hasOneUse() || linear.getBias() || linear.getResidual() ||
        linear.getActivation() != Activation::None)
      continue;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(add.getType()).getShape();
    if (!isRepeatedRow(other) || shape.back() != cast<RankedTensorType>(linear.getType()).getShape().back())
      continue;
    IRRewriter &rewriter = recognition.rewriter;
    rewriter.setInsertionPoint(op);
    Value bias = buildRow(rewriter, op->getLoc(), other);
    auto biased = LinearOp::create(rewriter, op->getLoc(), linear.getType(), linear.getInput(), linear.getWeight(), bias,
                                   /*residual=*/Value(), linear.getOutlierChannels(), Activation::None,
                                   linear.getRoundingAttr());
    rewriter.replaceAllUsesWith(add.getResult(), reshape(rewriter, op->getLoc(), biased.getResult(), shape));
    return success();
  }
  return failure();
}
