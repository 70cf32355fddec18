//===- TileStages.cpp - constraints of tile_wait --------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult TileWaitOp::verifyConstraints() {
  if (int64_t(getPending()) < 0 || int64_t(getPending()) > INT32_MAX)
    return emitOpError() << "expects a number of pending groups from 0 to 2^31 - 1, found " << int64_t(getPending())
                         << " (C1)";
  return success();
}
