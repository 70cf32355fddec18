//===- Sizes.cpp - integers computed from sizes ---------------------------===//

#include "Heddle.h"
#include "SizeExpression.h"

using namespace mlir;
using namespace heddle;

LogicalResult SizesOp::verify() {
  for (auto [i, element] : llvm::enumerate(getElements())) {
    auto code = dyn_cast<DenseI64ArrayAttr>(element);
    if (!code || !SizeExpression::fromCode(code))
      return emitOpError() << "element " << i << " is not the code of an expression (C1)";
  }
  auto type = cast<RankedTensorType>(getType());
  if (!isa<IntegerType>(type.getElementType()))
    return emitOpError() << "expected integers, found " << type.getElementType() << " (C3)";
  int64_t count = int64_t(getElements().size());
  if (count != 1 && (!type.hasStaticShape() || count != type.getNumElements()))
    return emitOpError() << "expected one expression or one for each element of " << type << ", found " << count << " (C2)";
  return success();
}
