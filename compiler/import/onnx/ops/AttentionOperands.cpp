//===- AttentionOperands.cpp - operands of an Attention node --------------===//

#include "AttentionOperands.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

LogicalResult heddle::onnx::readSizes(NodeContext &n, AttentionOperands &operands) {
  auto sized = [](Value value, Layout layout) {
    Shape shape(shapeOf(value));
    if (layout == Layout::Bshd)
      std::swap(shape[1], shape[2]);
    return shape;
  };
  Shape query = sized(operands.query, operands.queryLayout), key = sized(operands.key, operands.keyLayout),
        value = sized(operands.value, operands.keyLayout);
  std::optional<Numbers> numbers = fixedNumbers({query[1], key[1], query[3], value[3]});
  if (!numbers)
    return n.error() << "the numbers of heads and the head sizes must not depend on sizes in ranges, found query, key "
                     << "and value of [batch, heads, positions, size] " << shapeText(query) << ", " << shapeText(key)
                     << " and " << shapeText(value);
  bool fits = key[0] == query[0] && key[3] == query[3] && ArrayRef(value).drop_back() == ArrayRef(key).drop_back();
  if (!fits || llvm::is_contained(query, 0) || llvm::is_contained(key, 0) || value[3] == 0 || query[1] % key[1] != 0)
    return n.error() << "the shapes [batch, heads, positions, size] of query, key and value do not fit each other: "
                     << shapeText(query) << ", " << shapeText(key) << " and " << shapeText(value);
  operands.batch = query[0], operands.queries = query[2], operands.keys = key[2];
  operands.queryHeads = (*numbers)[0], operands.keyHeads = (*numbers)[1];
  operands.headSize = (*numbers)[2], operands.valueSize = (*numbers)[3];
  return success();
}

FailureOr<SoftmaxPrecision> heddle::onnx::readSoftmaxPrecision(NodeContext &n) {
  int64_t number = n.intAttr("softmax_precision", 0);
  Type type = number >= 0 && number < 1000 ? elementType(n.b.getContext(), static_cast<int32_t>(number)) : Type();
  if (!isa_and_present<FloatType>(type))
    return n.error() << "softmax_precision " << number << " is not supported";
  return type.isF64() ? SoftmaxPrecision::F64 : SoftmaxPrecision::F32;
}

AttentionOp heddle::onnx::attend(NodeContext &n, const AttentionOperands &operands, Causal causal) {
  Emitter &b = n.b;
  MLIRContext *context = b.getContext();
  Shape shape{operands.batch, operands.queryHeads, operands.queries, operands.valueSize};
  if (operands.queryLayout == Layout::Bshd)
    std::swap(shape[1], shape[2]);
  Type element = elementOf(operands.query);
  SmallVector<Type> types{typeOf(shape, element)};
  if (operands.showWeights)
    types.push_back(typeOf(operands.scoreShape(), element));
  auto layout = [&](Layout layout) { return LayoutAttr::get(context, layout); };
  bool hasWindow = operands.left >= 0 || operands.right >= 0;
  return AttentionOp::create(
      b, types, operands.query, operands.key, operands.value, operands.bias, operands.mask, operands.keyLengths,
      /*reads=*/ValueRange(), b.getF64FloatAttr(operands.scale),
      operands.softcap > 0 ? b.getF64FloatAttr(operands.softcap) : FloatAttr(), /*masked_score=*/FloatAttr(),
      CausalAttr::get(context, causal),
      hasWindow ? b.getDenseI64ArrayAttr({operands.left, operands.right}) : DenseI64ArrayAttr(),
      EmptyRowAttr::get(context, operands.emptyRow), SoftmaxPrecisionAttr::get(context, operands.precision),
      /*rounding=*/TypeAttr(),
      layout(operands.queryLayout), layout(operands.keyLayout), layout(operands.keyLayout),
      layout(operands.queryLayout), operands.showWeights ? b.getUnitAttr() : UnitAttr());
}
