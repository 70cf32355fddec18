//===- AttentionTask.cpp - the queries and keys of one task ---------------===//

#include "AttentionTask.h"

using namespace mlir;
using namespace heddle;

SmallVector<int64_t> ScoreDims::getShape(int64_t rows, int64_t columns) const {
  SmallVector<int64_t> shape(2);
  shape[query] = rows;
  shape[key] = columns;
  return shape;
}
