//===- AttentionRegions.cpp - regions of attention ------------------------===//

#include "Heddle.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

Type AttentionOp::getSoftmaxType() {
  bool wide = getSoftmaxPrecision() == SoftmaxPrecision::F64 || getElementTypeOrSelf(getQuery()).isF64();
  return wide ? Type(Float64Type::get(getContext())) : Type(Float32Type::get(getContext()));
}

SmallVector<Type> AttentionOp::getRegionTypes() {
  // The score or probability, four indices, and one element of each tensor in `reads`.
  SmallVector<Type> types(5, IndexType::get(getContext()));
  types[0] = getSoftmaxType();
  for (Value read : getReads()) {
    Type element = getElementTypeOrSelf(read);
    types.push_back(element.isF16() || element.isBF16() ? Type(Float32Type::get(getContext())) : element);
  }
  return types;
}

Value AttentionOp::inlineRegion(OpBuilder &b, Region &region, ValueRange arguments) {
  Block &body = region.front();
  IRMapping values;
  values.map(body.getArguments(), arguments);
  for (Operation &inner : body.without_terminator())
    b.clone(inner, values);
  return values.lookup(body.getTerminator()->getOperand(0));
}
