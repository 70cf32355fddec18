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
  bool narrow = bytes && sums.getElementType().isInteger(16);
  int64_t count = bytes && !narrow ? 4 : 2;
  if ((!narrow && (isa<FloatType>(sums.getElementType()) == integers || sums.getElementType().isInteger(16))) ||
      side.getNumElements() != count * sums.getNumElements())
    return emitOpError("expects 4 elements of i8 or 2 of i16 for each sum of i32, 2 of i8 for each sum of i16, or 2 of "
                       "bf16 for each sum of f32, found ")
           << side << " and " << sums << " (C1)";
  if (getIsUnsigned() && !bytes)
    return emitOpError("only elements of i8 can be unsigned (C2)");
  return success();
}
