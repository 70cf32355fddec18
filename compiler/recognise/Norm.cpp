//===- Norm.cpp - parts that layer norm and RMS norm share ----------------===//

#include "Norm.h"

#include "Sizes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Matches a `divisor` [.., D] in which each row repeats one number: sqrt(x) or, with `inverse`, 1 / sqrt(x). Returns
/// x, which has one element per row. Sets `root` to the operation that computes the square root.
static Value matchRoot(Value divisor, bool inverse, Operation *&root) {
  Value perRow = matchRepeatedAlongRow(divisor);
  if (!perRow)
    return {};
  perRow = peelReshapes(perRow);
  if (inverse) {
    if (auto rsqrt = perRow.getDefiningOp<math::RsqrtOp>()) {
      root = rsqrt;
      return rsqrt.getOperand();
    }
    auto reciprocal = perRow.getDefiningOp<arith::DivFOp>();
    if (!reciprocal || matchNumber(reciprocal.getLhs()) != 1.0)
      return {};
    perRow = peelReshapes(reciprocal.getRhs());
  }
  if (auto sqrt = perRow.getDefiningOp<math::SqrtOp>()) {
    root = sqrt;
    return sqrt.getOperand();
  }
  if (auto pow = perRow.getDefiningOp<math::PowFOp>(); pow && matchNumber(pow.getRhs()) == 0.5) {
    root = pow;
    return pow.getOperand(0);
  }
  // A division by sqrt(variance) + epsilon is not recognised as a norm. Set `root`, so that the caller reports this
  // reason at the square root.
  if (auto shifted = matchShifted(perRow))
    if (auto sqrt = peelReshapes(shifted->first).getDefiningOp<math::SqrtOp>())
      root = sqrt;
  return {};
}

std::optional<Normalised> heddle::matchNormalised(Operation *op, Operation *&root, StringRef &reason) {
  Value dividend, radicand;
  if (auto div = dyn_cast<arith::DivFOp>(op)) {
    dividend = div.getLhs();
    radicand = matchRoot(div.getRhs(), /*inverse=*/false, root);
  } else if (auto mul = dyn_cast<arith::MulFOp>(op)) {
    dividend = mul.getLhs();
    radicand = matchRoot(mul.getRhs(), /*inverse=*/true, root);
    if (!radicand) {
      dividend = mul.getRhs();
      radicand = matchRoot(mul.getLhs(), /*inverse=*/true, root);
    }
  }
  if (!radicand) {
    reason = "epsilon is added outside the root";
    return std::nullopt;
  }
  // The lowerings of norms make tiles of whole rows, so the length of a row must be fixed.
  if (!Sizes(op).of(cast<RankedTensorType>(op->getResult(0).getType()).getShape().back()).isFixed()) {
    reason = "the length of a row lies in a range";
    return std::nullopt;
  }
  auto shifted = matchShifted(peelReshapes(radicand));
  if (!shifted || shifted->second < 0) {
    reason = "no epsilon is added inside the root";
    return std::nullopt;
  }
  return Normalised{dividend, shifted->first, shifted->second, root};
}

/// If only one operation uses `value` (through reshapes), and this operation is an OpTy whose other operand [.., D]
/// repeats one row, returns the result and the other operand of the operation. Otherwise returns nothing.
template <typename OpTy>
static std::optional<std::pair<Value, Value>> findRowOperation(Value value) {
  Value operand = value;
  while (operand.hasOneUse() && isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(*operand.user_begin())) {
    Value next = operand.user_begin()->getResult(0);
    if (cast<RankedTensorType>(next.getType()).getRank() == 0)
      break;
    operand = next;
  }
  if (!operand.hasOneUse())
    return std::nullopt;
  auto op = dyn_cast<OpTy>(*operand.user_begin());
  if (!op || !isa<RankedTensorType>(op.getType()))
    return std::nullopt;
  Value row = op.getLhs() == operand ? op.getRhs() : op.getLhs();
  int64_t length = cast<RankedTensorType>(value.getType()).getShape().back();
  if (!isRepeatedRow(row) || cast<RankedTensorType>(op.getType()).getShape().back() != length)
    return std::nullopt;
  return std::make_pair(op.getResult(), row);
}

NormOperands heddle::prepareNorm(RewriterBase &rewriter, Value input, Value normalised, bool hasBias) {
  NormOperands norm;
  norm.result = normalised;
  if (auto scaled = findRowOperation<arith::MulFOp>(normalised)) {
    std::tie(norm.result, norm.scale) = *scaled;
    if (auto shifted = hasBias ? findRowOperation<arith::AddFOp>(norm.result) : std::nullopt)
      std::tie(norm.result, norm.bias) = *shifted;
  }
  Location loc = normalised.getLoc();
  rewriter.setInsertionPoint(norm.result.getDefiningOp());
  norm.input = reshape(rewriter, loc, input, cast<RankedTensorType>(norm.result.getType()).getShape());
  if (norm.scale)
    norm.scale = buildRow(rewriter, loc, norm.scale);
  if (norm.bias)
    norm.bias = buildRow(rewriter, loc, norm.bias);
  return norm;
}
