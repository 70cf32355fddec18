//===- Heads.cpp - heads in the last dimension of a tensor ----------------===//

#include "Heads.h"

using namespace mlir;
using namespace heddle::onnx;

FailureOr<Value> heddle::onnx::splitHeads(NodeContext &n, Value value, StringRef attribute, int64_t heads) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (heads < 1 || shape[2] % heads != 0)
    return n.error() << attribute << " = " << heads << " does not divide the last dimension of " << typeText(value);
  return n.b.reshape(value, {shape[0], shape[1], heads, shape[2] / heads});
}
