//===- InputRoles.cpp - how operations use the inputs of a model ----------===//

#include "InputRoles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static InputRole roleOf(OperandRole role) {
  switch (role) {
  case OperandRole::Query:
    return InputRole::Query;
  case OperandRole::Key:
    return InputRole::Key;
  case OperandRole::Value:
    return InputRole::Value;
  case OperandRole::ScoreBias:
    return InputRole::Bias;
  case OperandRole::Mask:
    return InputRole::Mask;
  case OperandRole::KeyLengths:
    return InputRole::Lengths;
  case OperandRole::Normalized:
    return InputRole::Normed;
  case OperandRole::Residual:
  case OperandRole::Weight:
  case OperandRole::Bias:
  case OperandRole::Scale:
    return InputRole::Weight;
  case OperandRole::Input:
  case OperandRole::Rotation:
  case OperandRole::Gate:
  case OperandRole::State:
  case OperandRole::Past:
  case OperandRole::ScoreRead:
  case OperandRole::Columns:
    return InputRole::Other;
  }
  llvm_unreachable("all roles are handled");
}

/// Returns the role of the value that `use` reads. If a reshape, cast or transpose reads the value, the uses of the
/// result of this operation determine the role.
static InputRole roleOf(OpOperand &use, AttentionOp &attention) {
  Operation *op = use.getOwner();
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp, linalg::TransposeOp>(op) &&
      use.getOperandNumber() == 0) {
    for (OpOperand &next : op->getResult(0).getUses())
      if (InputRole role = roleOf(next, attention); role != InputRole::Other)
        return role;
    return InputRole::Other;
  }
  if (auto it = dyn_cast<AttentionOp>(op))
    attention = it;
  // If a layer uses a value twice, the first use determines the role.
  if (auto layer = dyn_cast<LayerOpInterface>(op))
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == use.get())
        return roleOf(layer.getOperandRole(operand));
  return isa<linalg::SoftmaxOp>(op) ? InputRole::Scores : InputRole::Other;
}

InputRole heddle::roleOfInput(BlockArgument argument, AttentionOp &attention) {
  for (OpOperand &use : argument.getUses())
    if (InputRole role = roleOf(use, attention); role != InputRole::Other)
      return role;
  if (isa<FloatType>(getElementTypeOrSelf(argument.getType())))
    return InputRole::Other;
  // Cases change masks, but no other integers without a role, such as token ids, which must lie in a range.
  bool mask = getElementTypeOrSelf(argument.getType()).isInteger(1) ||
              StringRef(argumentName(cast<func::FuncOp>(argument.getOwner()->getParentOp()), argument.getArgNumber())).ends_with("mask");
  return mask ? InputRole::Mask : InputRole::Positions;
}
