//===- Norm.cpp - constraints, types and folds of the norms ---------------===//

#include "Folds.h"
#include "Shapes.h"

using namespace mlir;
using namespace heddle;

/// Verifies C1 to C4, which both norms share. `scale`, `bias` and `residual` may be null; `bias` is null for rms_norm.
static LogicalResult verifyNorm(Operation *op, Value input, Value scale, Value bias, Value residual,
                                const APFloat &epsilon) {
  if (failed(expectRank(op, "C1", "input", input, 1, INT64_MAX)) ||
      failed(expectElementType(op, "C1",
                               {{"input", input}, {"scale", scale}, {"bias", bias}, {"residual", residual}})) ||
      failed(expectShape(op, "C2", "scale", scale, shapeOf(input).back())) ||
      failed(expectShape(op, "C2", "bias", bias, shapeOf(input).back())) ||
      failed(expectShape(op, "C3", "residual", residual, shapeOf(input))) ||
      failed(expectShape(op, "C3", "result", op->getResult(0), shapeOf(input))))
    return failure();
  if (!epsilon.isFinite() || (epsilon.isNegative() && !epsilon.isZero()))
    return op->emitOpError("epsilon is ") << epsilon.convertToDouble()
                                          << ", expected a finite number that is not negative (C4)";
  return success();
}

/// Returns the input's type. A dynamic size is replaced by the size of the residual or, in the last dimension, of scale
/// or bias.
static RankedTensorType inferNorm(Value input, Value residual, Value scale, Value bias) {
  int64_t size = shapeOf(input).back();
  for (Value vector : {scale, bias})
    if (vector && shapeOf(vector).size() == 1)
      size = refine(size, shapeOf(vector)[0]);
  return refined(withLastDim(input, size), residual);
}

LogicalResult LayerNormOp::verifyConstraints() {
  return verifyNorm(*this, getInput(), getScale(), getBias(), getResidual(), getEpsilon());
}
LogicalResult RmsNormOp::verifyConstraints() {
  return verifyNorm(*this, getInput(), getScale(), Value(), getResidual(), getEpsilon());
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (shapeOf(adaptor.getInput()).empty())
    return emitOptionalError(location, "input must have rank 1 or more (C1)");
  types.push_back(inferNorm(adaptor.getInput(), adaptor.getResidual(), adaptor.getScale(), adaptor.getBias()));
  return success();
}
LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  if (shapeOf(adaptor.getInput()).empty())
    return emitOptionalError(location, "input must have rank 1 or more (C1)");
  types.push_back(inferNorm(adaptor.getInput(), adaptor.getResidual(), adaptor.getScale(), Value()));
  return success();
}

bool LayerNormOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }
bool RmsNormOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

ArrayRef<OperandRole> LayerNormOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Normalized, OperandRole::Scale, OperandRole::Bias,
                                          OperandRole::Residual};
  return roles;
}
ArrayRef<OperandRole> RmsNormOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Normalized, OperandRole::Scale, OperandRole::Residual};
  return roles;
}

ResidualPlace LayerNormOp::getResidualPlace() { return ResidualPlace::First; }
ResidualPlace RmsNormOp::getResidualPlace() { return ResidualPlace::First; }

bool LayerNormOp::canLeaveRowsOut() { return true; }
bool RmsNormOp::canLeaveRowsOut() { return true; }

/// Returns whether epsilon is 0 in the type in which a norm with this result is computed. A row of zeros is then
/// divided by 0, and the result is NaN.
static bool isZeroEpsilon(APFloat epsilon, Value result) {
  bool losesInfo;
  if (!getElementTypeOrSelf(result).isF64())
    epsilon.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return epsilon.isZero();
}

bool LayerNormOp::staysValid() { return !isZeroEpsilon(getEpsilon(), getResult()); }
bool RmsNormOp::staysValid() { return !isZeroEpsilon(getEpsilon(), getResult()); }

// The factors are approximate numbers of arithmetic operations for each element.
double LayerNormOp::getOtherOperations() { return 8 * countElements(getResult()); }
double RmsNormOp::getOtherOperations() { return 4 * countElements(getResult()); }

void LayerNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](LayerNormOp op, PatternRewriter &rewriter) {
    bool changed = dropOne(op, op.getScaleMutable(), rewriter);
    changed |= dropZero(op, op.getBiasMutable(), rewriter);
    changed |= dropZero(op, op.getResidualMutable(), rewriter);
    return success(changed);
  });
}
void RmsNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](RmsNormOp op, PatternRewriter &rewriter) {
    bool changed = dropOne(op, op.getScaleMutable(), rewriter);
    changed |= dropZero(op, op.getResidualMutable(), rewriter);
    return success(changed);
  });
}
