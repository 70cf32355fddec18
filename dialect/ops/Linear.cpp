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
  // N is what the result says, for a packed weight leaves it open.
  ArrayRef<int64_t> result = shapeOf(getResult());
  if (result.size() != shapeOf(input).size())
    return emitOpError("result has rank ") << result.size() << ", expected " << shapeOf(input).size()
                                           << " as in input (C4)";
  int64_t columns = refine(columnsOf(weight).exact(), result.back());
  if (failed(expectSize(*this, "C2", "weight", "number of rows", rowsOf(weight), shapeOf(input).back(), "input")) ||
      failed(expectShape(*this, "C3", "bias", getBias(), columns)) ||
      failed(expectShape(*this, "C4", "residual", getResidual(), withLastDim(input, columns).getShape())))
    return failure();
  return shapeOf(weight).size() > 2 ? expectColumns(*this, "C5", "weight", weight, columns) : success();
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
                                          OperandRole::Residual};
  return roles;
}

ResidualPlace LinearOp::getResidualPlace() { return ResidualPlace::Last; }

bool LinearOp::canLeaveRowsOut() { return true; }

bool LinearOp::staysOrdinary() { return true; }

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
