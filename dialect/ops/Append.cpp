//===- Append.cpp - constraints and types of append -----------------------===//

#include "Shapes.h"

using namespace mlir;
using namespace heddle;

LogicalResult AppendOp::verifyConstraints() {
  Value input = getInput(), state = getState();
  if (failed(expectRank(*this, "C1", "input", input, 4, 4)) || failed(expectRank(*this, "C1", "state", state, 4, 4)))
    return failure();
  ArrayRef<int64_t> is = shapeOf(input), ss = shapeOf(state);
  if (failed(expectSize(*this, "C2", "input", "batch size", is[0], ss[0], "state")) ||
      failed(expectSize(*this, "C2", "input", "number of heads", is[1], ss[1], "state")) ||
      failed(expectSize(*this, "C2", "input", "row size", is[3], ss[3], "state")))
    return failure();
  if (failed(expectSize(*this, "C3", "past", "batch size", shapeOf(getPast())[0], ss[0], "state")))
    return failure();
  bool isOfFloats = isa<FloatType>(getElementTypeOrSelf(state));
  if (isOfFloats != !getScales())
    return emitOpError(isOfFloats ? "only states of integers have scales, this state has elements of type "
                                  : "expected scales for a state of ")
           << getElementTypeOrSelf(state) << " (C4)";
  return expectShape(*this, "C4", "scales", getScales(), {ss[0], ss[1], ss[2], 1});
}

LogicalResult AppendOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getState().getType());
  if (Value scales = adaptor.getScales())
    types.push_back(scales.getType());
  return success();
}

bool AppendOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

ArrayRef<OperandRole> AppendOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Input, OperandRole::State, OperandRole::Past,
                                          OperandRole::State};
  return roles;
}

/// Returns no dimensions: the position of the new rows in the result is known at run time only. Thus the compiler does
/// not know which row of the result corresponds to a row of an operand.
OperandRows AppendOp::getOperandRows(OpOperand &) { return {}; }
