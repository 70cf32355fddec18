//===- Linear.cpp - constraints, types and folds of linear ----------------===//

#include "Folds.h"
#include "Shapes.h"

using namespace mlir;
using namespace heddle;

LogicalResult LinearOp::verifyConstraints() {
  Value input = getInput(), weight = getWeight();
  if (failed(expectRank(*this, "C1", "input", input, 1, INT64_MAX)) ||
      failed(expectRank(*this, "C1", "weight", weight, 2, 4)) ||
      failed(expectElementType(
          *this, "C1", {{"input", input}, {"weight", weight}, {"bias", getBias()}, {"residual", getResidual()}})))
    return failure();
  // If the weight is packed, N is taken from the result, since the weight's shape determines only bounds of N.
  ArrayRef<int64_t> result = shapeOf(getResult());
  if (result.size() != shapeOf(input).size())
    return emitOpError("result has rank ") << result.size() << ", expected " << shapeOf(input).size()
                                           << " as in input (C4)";
  int64_t columns = refine(columnsOf(weight).exact(), result.back());
  if (failed(expectSize(*this, "C2", "weight", "number of rows", rowsOf(weight), shapeOf(input).back(), "input")) ||
      failed(expectShape(*this, "C3", "bias", getBias(), columns)) ||
      failed(expectShape(*this, "C4", "residual", getResidual(), withLastDim(input, columns).getShape())))
    return failure();
  if (shapeOf(weight).size() > 2 && failed(expectColumns(*this, "C5", "weight", weight, columns)))
    return failure();
  return verifyRounding();
}

/// Verifies the attribute `rounding` and the operand `outlier_channels` (C6 and C7).
LogicalResult LinearOp::verifyRounding() {
  std::optional<RowRoundingAttr> rounding = getRounding();
  Value numbers = getOutlierChannels();
  if (numbers && (!rounding || !rounding->getOutliers().empty()))
    return emitOpError("outlier_channels requires a rounding that lists no outlier channels (C7)");
  if (!rounding)
    return success();
  Type element = rounding->getElement(), input = getElementTypeOrSelf(getInput());
  if (!input.isF32())
    return emitOpError("rounding requires an input of f32, found elements of type ") << input << " (C6)";
  bool integers = element.isInteger(8); // i8, si8 or ui8
  if (!integers && !element.isBF16() && !element.isF16())
    return emitOpError("rounding to ") << element << ", expected bf16, f16, ui8, i8 or si8 (C6)";
  FloatAttr scale = rounding->getScale();
  int64_t zero = rounding->getZero(), minimum = rounding->isUnsigned() ? 0 : -128;
  // A scale is shared by a block or by the whole tensor, or is a constant; without any of these, each row has a scale.
  int scopes = (rounding->getBlock() != 0) + rounding->getPerTensor() + (scale != nullptr);
  if (rounding->getBlock() < 0 || scopes > 1 || (scopes && !integers))
    return emitOpError(
        "rounding may have at most one of a positive block, per_tensor and scale, and only for i8, si8 or ui8 (C6)");
  if (scale && (!scale.getType().isF32() || !scale.getValue().isFiniteNonZero() || scale.getValue().isNegative()))
    return emitOpError("scale of rounding must be positive, finite, and of f32 (C6)");
  if (zero && (!scale || zero < minimum || zero > minimum + 255))
    return emitOpError("zero of rounding is ")
           << zero << ", expected a number from " << minimum << " to " << minimum + 255 << ", and a scale (C6)";
  ArrayRef<int64_t> outliers = rounding->getOutliers();
  int64_t k = shapeOf(getInput()).back();
  for (auto [i, column] : llvm::enumerate(outliers))
    if (column < 0 || (!isDynamic(k) && column >= k) || (i && column <= outliers[i - 1]))
      return emitOpError("outlier channels of rounding must ascend and be columns of the input (C6)");
  if (!outliers.empty() && int64_t(outliers.size()) == k)
    return emitOpError("all columns are outlier channels, expected at least one that is rounded (C6)");
  int64_t count = numbers ? shapeOf(numbers)[0] : 0;
  if (!isDynamic(k) && !isDynamic(count) && count > 0 && count >= k)
    return emitOpError("outlier_channels has ") << count << " numbers, expected fewer than " << k << " (C7)";
  return success();
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  size_t weightRank = shapeOf(adaptor.getWeight()).size();
  if (shapeOf(adaptor.getInput()).empty() || weightRank < 2 || weightRank > 4)
    return emitOptionalError(location, "input must have rank 1 or more, weight 2 to 4 (C1)");
  int64_t columns = columnsOf(adaptor.getWeight()).exact();
  if (Value bias = adaptor.getBias(); bias && shapeOf(bias).size() == 1)
    columns = refine(columns, shapeOf(bias)[0]);
  types.push_back(refined(withLastDim(adaptor.getInput(), columns), adaptor.getResidual()));
  return success();
}

bool LinearOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

ArrayRef<OperandRole> LinearOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Input, OperandRole::Weight, OperandRole::Bias,
                                          OperandRole::Residual, OperandRole::Columns};
  return roles;
}

ResidualPlace LinearOp::getResidualPlace() { return ResidualPlace::Last; }

/// With `per_tensor`, the scale depends on all rows, so no row may be skipped.
bool LinearOp::canLeaveRowsOut() { return !getRounding() || !getRounding()->getPerTensor(); }

bool LinearOp::staysValid() { return true; }

double LinearOp::getMultiplyAdds() {
  int64_t depth = shapeOf(getInput()).back();
  return isDynamic(depth) ? 0 : countElements(getResult()) * double(depth);
}

void LinearOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](LinearOp op, PatternRewriter &rewriter) {
    bool changed = dropZero(op, op.getBiasMutable(), rewriter);
    changed |= dropZero(op, op.getResidualMutable(), rewriter);
    return success(changed);
  });
}
