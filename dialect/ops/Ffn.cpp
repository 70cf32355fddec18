//===- Ffn.cpp - constraints, types and folds of ffn ----------------------===//

#include "Folds.h"
#include "Shapes.h"

using namespace mlir;
using namespace heddle;

LogicalResult FfnOp::verifyConstraints() {
  Value input = getInput(), up = getUp(), down = getDown(), gate = getGate();
  if (failed(expectRank(*this, "C1", "input", input, 1, INT64_MAX)) ||
      failed(expectRank(*this, "C1", "up", up, 2, 4)) || failed(expectRank(*this, "C1", "down", down, 2, 4)) ||
      failed(expectRank(*this, "C1", "gate", gate, 2, 4)) ||
      failed(expectElementType(*this, "C1",
                               {{"input", input}, {"up", up}, {"down", down}, {"up_bias", getUpBias()},
                                {"down_bias", getDownBias()}, {"gate", gate}, {"gate_bias", getGateBias()},
                                {"residual", getResidual()}})))
    return failure();
  ArrayRef<int64_t> result = shapeOf(getResult());
  if (result.size() != shapeOf(input).size())
    return emitOpError("result has rank ") << result.size() << ", expected " << shapeOf(input).size()
                                           << " as in input (C6)";
  if (failed(expectSize(*this, "C2", "up", "number of rows", rowsOf(up), shapeOf(input).back(), "input")) ||
      failed(expectShape(*this, "C3", "gate", gate, shapeOf(up))))
    return failure();
  if (getGateBias() && !gate)
    return emitOpError("gate_bias is given without gate (C3)");

  // The hidden size is the number of columns of `up`. If `up` is packed, its shape determines only bounds of this
  // number; the hidden size is then the number of rows of `down`.
  int64_t hidden = refine(columnsOf(up).exact(), rowsOf(down));
  int64_t columns = refine(columnsOf(down).exact(), result.back());
  if (failed(expectSize(*this, "C4", "down", "number of rows", rowsOf(down), hidden, "up's columns")) ||
      failed(expectShape(*this, "C5", "up_bias", getUpBias(), hidden)) ||
      failed(expectShape(*this, "C5", "gate_bias", getGateBias(), hidden)) ||
      failed(expectShape(*this, "C5", "down_bias", getDownBias(), columns)) ||
      failed(expectShape(*this, "C6", "residual", getResidual(), withLastDim(input, columns).getShape())))
    return failure();
  if (shapeOf(up).size() > 2 && failed(expectColumns(*this, "C7", "up", up, hidden)))
    return failure();
  return shapeOf(down).size() > 2 ? expectColumns(*this, "C7", "down", down, columns) : success();
}

LogicalResult FfnOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  size_t downRank = shapeOf(adaptor.getDown()).size();
  if (shapeOf(adaptor.getInput()).empty() || downRank < 2 || downRank > 4)
    return emitOptionalError(location, "input must have rank 1 or more, down 2 to 4 (C1)");
  int64_t columns = columnsOf(adaptor.getDown()).exact();
  if (Value bias = adaptor.getDownBias(); bias && shapeOf(bias).size() == 1)
    columns = refine(columns, shapeOf(bias)[0]);
  types.push_back(refined(withLastDim(adaptor.getInput(), columns), adaptor.getResidual()));
  return success();
}

bool FfnOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

ArrayRef<OperandRole> FfnOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Input,  OperandRole::Weight, OperandRole::Weight,
                                          OperandRole::Bias,   OperandRole::Bias,   OperandRole::Weight,
                                          OperandRole::Bias,   OperandRole::Residual};
  return roles;
}

ResidualPlace FfnOp::getResidualPlace() { return ResidualPlace::Last; }

bool FfnOp::canLeaveRowsOut() { return true; }

bool FfnOp::staysValid() { return true; }

double FfnOp::getMultiplyAdds() {
  int64_t in = shapeOf(getInput()).back(), out = shapeOf(getResult()).back();
  int64_t hidden = refine(rowsOf(getDown()), columnsOf(getUp()).exact());
  if (isDynamic(in) || isDynamic(out) || isDynamic(hidden))
    return 0;
  double rows = countElements(getInput()) / std::max<double>(1, in);
  return rows * double(hidden) * double(in * (getGate() ? 2 : 1) + out);
}

void FfnOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](FfnOp op, PatternRewriter &rewriter) {
    bool changed = dropZero(op, op.getUpBiasMutable(), rewriter);
    changed |= dropZero(op, op.getDownBiasMutable(), rewriter);
    changed |= dropZero(op, op.getGateBiasMutable(), rewriter);
    changed |= dropZero(op, op.getResidualMutable(), rewriter);
    return success(changed);
  });
}
