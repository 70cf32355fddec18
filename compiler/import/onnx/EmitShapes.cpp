//===- EmitShapes.cpp - shapes of tensors ---------------------------------===//

#include "Emit.h"
#include "Graph.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Shape heddle::onnx::shapeOf(Value value) { return heddle::dimsOf(cast<RankedTensorType>(value.getType())); }
Type heddle::onnx::elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
int64_t heddle::onnx::rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

std::optional<Shape> heddle::onnx::broadcastShapes(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape shape(a);
  size_t lead = a.size() - b.size();
  for (auto [i, extent] : llvm::enumerate(b)) {
    // An extent with a `number` is the same at all sizes. The comparisons below are used for extents that depend on
    // sizes. If the result of a comparison differs between sizes, the comparison records this in the current SizeScope,
    // and the import is refused.
    Dim &other = shape[lead + i];
    if (extent.number() == 1)
      continue;
    if (other.number() == 1)
      other = extent;
    else if (other != extent && !(extent == 1 && other >= 1)) {
      if (other != 1)
        return std::nullopt;
      other = extent;
    }
  }
  return shape;
}

RankedTensorType heddle::onnx::typeOf(ArrayRef<Dim> shape, Type element) {
  return RankedTensorType::get(numbersOf(shape), element);
}

std::optional<Dim> heddle::onnx::countElements(ArrayRef<Dim> shape) {
  if (shape.size() > maxRank)
    return std::nullopt;
  int64_t maximum = 1;
  for (const Dim &extent : shape) {
    int64_t high = extent.high();
    if (extent.low() < 0 || (high > 0 && maximum > maxElements / high))
      return std::nullopt;
    maximum *= high;
  }
  return product(shape);
}

bool heddle::onnx::isEmpty(ArrayRef<Dim> shape) {
  return llvm::any_of(shape, [](const Dim &extent) { return extent.number() == 0; });
}

bool heddle::onnx::canFold(ArrayRef<Dim> shape) {
  std::optional<Dim> count = countElements(shape);
  return fixedNumbers(shape) && count && *count->number() <= foldLimit;
}
