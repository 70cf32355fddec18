//===- CheckedIndex.cpp - constraints of checked_index --------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult CheckedIndexOp::verifyConstraints() {
  unsigned width = getElementTypeOrSelf(getIndices().getType()).getIntOrFloatBitWidth();
  int64_t extent = getExtent();
  if (extent < 1 || (width < 64 && !llvm::isIntN(width, extent)))
    return emitOpError() << "has an extent of " << extent << ", expected at least 1 and at most the largest integer of "
                         << width << " bits (C1)";
  return success();
}
