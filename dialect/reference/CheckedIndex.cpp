//===- CheckedIndex.cpp - the meaning of heddle.checked_index -------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

static LogicalResult evaluateCheckedIndex(CheckedIndexOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                          SmallVectorImpl<Tensor> &results) {
  int64_t extent = op.getExtent();
  for (int64_t &index : operands[0].mutableInts()) {
    if (index < -extent || index >= extent)
      return op.emitOpError() << "computes index " << index << ", which is out of range for an extent of " << extent;
    if (index < 0)
      index += extent;
  }
  results.push_back(std::move(operands[0]));
  return success();
}

void heddle::registerCheckedIndexReference(MLIRContext *context) {
  attach<CheckedIndexOp, evaluateCheckedIndex>(context);
}
