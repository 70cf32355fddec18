//===- Scatter.cpp - ScatterND of values known at import ------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Exporters build masks with it; anything that depends on inputs is refused.
LogicalResult convertScatterND(NodeContext &n) {
  DenseElementsAttr data = n.b.storedElements(n.in(0)), updates = n.b.storedElements(n.in(2));
  FailureOr<Shape> tuples = n.integers(1, "the indices");
  if (failed(tuples))
    return failure();
  if (!data || !updates)
    return n.error() << "only supported where all operands are known at import";
  if (n.stringAttr("reduction", "none") != "none")
    return n.error() << "a reduction is not supported";
  ArrayRef<int64_t> shape = shapeOf(n.in(0)), indexShape = shapeOf(n.in(1));
  if (failed(n.requireSameElements({n.in(0), n.in(2)})))
    return failure();
  int64_t length = indexShape.empty() ? 0 : indexShape.back();
  if (length < 1 || length > static_cast<int64_t>(shape.size()))
    return n.error() << "index tuples of length " << length << " into " << typeText(n.in(0));
  Shape expected(indexShape.drop_back());
  llvm::append_range(expected, shape.drop_front(length));
  if (shapeOf(n.in(2)) != ArrayRef(expected))
    return n.error() << "updates are " << typeText(n.in(2)) << ", expected " << shapeText(expected);

  std::vector<char> to = bytesOf(data), from = bytesOf(updates);
  Shape strides = stridesOf(shape);
  size_t elementSize = *heddle::storedElementSize(elementOf(n.in(0)));
  size_t width = strides[length - 1] * elementSize;
  for (size_t tuple = 0; tuple * length < tuples->size(); ++tuple) {
    int64_t at = 0;
    for (int64_t j = 0; j < length; ++j) {
      int64_t index = (*tuples)[tuple * length + j];
      if (index < -shape[j] || index >= shape[j])
        return n.error() << "index " << index << " is out of range for an extent of " << shape[j];
      at += (index < 0 ? index + shape[j] : index) * strides[j];
    }
    std::copy_n(from.begin() + tuple * width, width, to.begin() + at * elementSize);
  }
  return n.yield(n.b.constant(fromBytes(cast<RankedTensorType>(n.in(0).getType()), to)));
}

} // namespace

void heddle::onnx::addScatterOps(OpTable &table) { table["ScatterND"] = {convertScatterND, 3, 3, 11}; }
