//===- RotaryEmbedding.cpp - constraints and types of rotary_embedding ----===//

#include "Shapes.h"

using namespace mlir;
using namespace heddle;

LogicalResult RotaryEmbeddingOp::verifyConstraints() {
  Value input = getInput(), cosine = getCosine(), sine = getSine();
  if (failed(expectRank(*this, "C1", "input", input, 4, 4)) ||
      failed(expectElementType(*this, "C1", {{"input", input}, {"cosine", cosine}, {"sine", sine}})) ||
      failed(expectShape(*this, "C1", "result", getResult(), shapeOf(input))) ||
      failed(expectRank(*this, "C2", "cosine", cosine, 2, 3)) ||
      failed(expectShape(*this, "C2", "sine", sine, shapeOf(cosine))))
    return failure();
  ArrayRef<int64_t> is = shapeOf(input), cs = shapeOf(cosine);
  int64_t positions = is[getLayout() == Layout::Bhsd ? 2 : 1];
  if ((cs.size() == 3 && failed(expectSize(*this, "C3", "cosine", "batch size", cs[0], is[0], "input"))) ||
      failed(expectSize(*this, "C3", "cosine", "number of positions", cs[cs.size() - 2], positions, "input")))
    return failure();
  if (!isDynamic(cs.back()) && !isDynamic(is[3]) && cs.back() * 2 > is[3])
    return emitOpError("cosine has last dimension ")
           << cs.back() << ", expected at most half of input's head size " << is[3] << " (C4)";
  return success();
}

LogicalResult RotaryEmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

bool RotaryEmbeddingOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

ArrayRef<OperandRole> RotaryEmbeddingOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Input, OperandRole::Rotation, OperandRole::Rotation};
  return roles;
}

SmallVector<unsigned> RotaryEmbeddingOp::getResultRows() { return {0, getLayout() == Layout::Bhsd ? 2u : 1u}; }

OperandRows RotaryEmbeddingOp::getOperandRows(OpOperand &operand) {
  return &operand == &getInputMutable() ? OperandRows{getResultRows()} : OperandRows();
}

bool RotaryEmbeddingOp::staysValid() { return true; }

/// Each rotated element is computed by two multiplications and an addition or subtraction. Elements that are only
/// copied count as well.
double RotaryEmbeddingOp::getOtherOperations() { return 3 * countElements(getResult()); }
