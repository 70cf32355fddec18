//===- Dot.cpp - constraints of dot ---------------------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

Type DotOp::typeOfRhs(Type lhs) {
  auto type = dyn_cast<VectorType>(lhs);
  return type && type.getElementType().isInteger(16) ? type.clone(IntegerType::get(lhs.getContext(), 8)) : lhs;
}

LogicalResult DotOp::verifyConstraints() {
  auto side = cast<VectorType>(getLhs().getType()), sums = cast<VectorType>(getAcc().getType());
  bool bytes = side.getElementType().isInteger(8), integers = isa<IntegerType>(side.getElementType());
  int64_t count = bytes ? 4 : 2;
  if (sums.getElementType().isInteger(32) != integers || side.getNumElements() != count * sums.getNumElements())
    return emitOpError("expects 4 times as many i8, or twice as many i16, as i32, or twice as many bf16 as f32, found ")
           << side << " and " << sums << " (C1)";
  if (getIsUnsigned() && !bytes)
    return emitOpError("only bytes are unsigned (C2)");
  return success();
}
