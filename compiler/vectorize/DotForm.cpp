//===- DotForm.cpp - matrix products of int8, int16 and bf16 --------------===//

#include "DotForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Returns whether `value` is the given input of the body, widened by an `Extension` op.
template <typename Extension>
static bool widens(linalg::LinalgOp op, Value value, unsigned input) {
  auto extension = value.getDefiningOp<Extension>();
  return extension && extension.getIn() == op.getBlock()->getArgument(input);
}

/// Returns the product that the body adds to the accumulator; null if the body has another form.
template <typename Add, typename Multiply>
static Multiply productOf(linalg::LinalgOp op) {
  auto add = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<Add>();
  BlockArgument sum = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!add || add.getLhs() != sum)
    return {};
  return add.getRhs().template getDefiningOp<Multiply>();
}

/// Returns whether the operand's last index is depth * lane + t (or, for a weight in panels, depth * (lane mod the
/// panel's width) + t) and no other index depends on t. With a null `lane`, the last index must be t.
static bool isInnermost(AffineMap map, AffineExpr t, AffineExpr lane, int64_t depth) {
  AffineExpr last = map.getResults().back();
  AffineExpr rest = last.replace(t, getAffineConstantExpr(0, map.getContext()));
  if (rest + t != last)
    return false;
  for (AffineExpr other : map.getResults().drop_back())
    if (other.isFunctionOfDim(cast<AffineDimExpr>(t).getPosition()))
      return false;
  if (!lane)
    return rest == getAffineConstantExpr(0, map.getContext());
  if (rest == lane * depth)
    return true;
  auto product = dyn_cast<AffineBinaryOpExpr>(rest);
  if (!product || product.getKind() != AffineExprKind::Mul ||
      product.getRHS() != getAffineConstantExpr(depth, map.getContext()))
    return false;
  auto within = dyn_cast<AffineBinaryOpExpr>(product.getLHS());
  return within && within.getKind() == AffineExprKind::Mod && within.getLHS() == lane;
}

std::optional<DotForm> heddle::findDotForm(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() < 2 || iterators.size() < 3 ||
      iterators.back() != utils::IteratorType::reduction || !op.hasPureTensorSemantics())
    return std::nullopt;
  DotForm form = {op.getStaticLoopRanges().back()};
  Type elements[2];
  if (auto product = productOf<arith::AddIOp, arith::MulIOp>(op)) {
    Value factors[] = {product.getLhs(), product.getRhs()};
    for (int64_t input : {0, 1}) {
      bool isUnsigned = widens<arith::ExtUIOp>(op, factors[input], input);
      if ((isUnsigned && form.unsignedSide >= 0) || (!isUnsigned && !widens<arith::ExtSIOp>(op, factors[input], input)))
        return std::nullopt;
      if (isUnsigned)
        form.unsignedSide = input;
    }
    elements[1] = IntegerType::get(op->getContext(), 8);
    bool words = getElementTypeOrSelf(op.getDpsInputs()[0]).isInteger(16) && form.unsignedSide < 0;
    elements[0] = words ? IntegerType::get(op->getContext(), 16) : elements[1];
  } else if (auto product = productOf<arith::AddFOp, arith::MulFOp>(op)) {
    if (!widens<arith::ExtFOp>(op, product.getLhs(), 0) || !widens<arith::ExtFOp>(op, product.getRhs(), 1))
      return std::nullopt;
    elements[0] = elements[1] = BFloat16Type::get(op->getContext());
  } else {
    return std::nullopt;
  }
  bool bytes = elements[0].isInteger(8);
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  if (form.depth != (bytes ? 4 : 2) || !(isa<IntegerType>(elements[0]) ? sum.isInteger(32) : sum.isF32()))
    return std::nullopt;
  for (unsigned input : {0, 1})
    if (getElementTypeOrSelf(op.getDpsInputs()[input]) != elements[input])
      return std::nullopt;
  for (OpOperand *input : llvm::drop_begin(op.getDpsInputOperands(), 2))
    if (op.payloadUsesValueFromOperand(input))
      return std::nullopt;

  AffineExpr t = getAffineDimExpr(iterators.size() - 1, op->getContext());
  AffineExpr lane = op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults().back();
  AffineMap left = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap right = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  if (!isa<AffineDimExpr>(lane) || left.isFunctionOfDim(cast<AffineDimExpr>(lane).getPosition()) ||
      !isInnermost(left, t, AffineExpr(), form.depth) || !isInnermost(right, t, lane, form.depth))
    return std::nullopt;
  return form;
}
