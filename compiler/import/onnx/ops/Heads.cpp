//===- Heads.cpp - splits a dimension into heads --------------------------===//

#include "Heads.h"
#include "SizedOperands.h"

using namespace mlir;
using namespace heddle::onnx;

FailureOr<Value> heddle::onnx::splitHeads(NodeContext &n, Value value, StringRef attribute, int64_t heads) {
  Shape shape = shapeOf(value);
  FailureOr<int64_t> width = requireNumber(n, shape[2], "the last dimension of a tensor with heads");
  if (failed(width))
    return failure();
  if (heads < 1 || *width % heads != 0)
    return n.error() << attribute << " = " << heads << " does not divide the last dimension of " << typeText(value);
  return n.b.reshape(value, {shape[0], shape[1], heads, *width / heads});
}
