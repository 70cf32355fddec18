//===- Elementwise.cpp - elementwise ops on tensors -----------------------===//

#include "interpreter/Models.h"

using namespace mlir;
using namespace heddle;

LogicalResult heddle::evaluateElementwise(Operation *op, const LaneFunction &lanes, ArrayRef<Tensor> operands,
                                          SmallVectorImpl<Tensor> &results) {
  // All operands have the same shape, except that the condition of a select of tensors may be a scalar.
  ArrayRef<int64_t> shape;
  for (const Tensor &operand : operands)
    if (operand.rank() > 0)
      shape = operand.shape();

  SmallVector<Tensor> spread(operands);
  SmallVector<Column> in, out;
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  for (Tensor &operand : spread) {
    if (operand.size() != size && operand.rank() == 0)
      operand = operand.picked(shape, SmallVector<int64_t>(size, 0));
    if (operand.shape() != shape)
      return op->emitOpError() << "has operands of different shapes";
    Column column;
    if (operand.isFloat()) // const_cast: a lane function only reads its operands
      column.floats = const_cast<double *>(operand.floats().data());
    else
      column.ints = const_cast<int64_t *>(operand.ints().data());
    in.push_back(column);
  }
  for (Type type : op->getResultTypes()) {
    Tensor &result = results.emplace_back(shape, getElementTypeOrSelf(type));
    Column column;
    if (result.isFloat())
      column.floats = result.mutableFloats().data();
    else
      column.ints = result.mutableInts().data();
    out.push_back(column);
  }
  return lanes(in, out, size);
}
