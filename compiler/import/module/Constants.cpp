//===- Constants.cpp - values of constants, for folding -------------------===//

#include "Constants.h"

#include "heddle/WeightStore.h"
#include "sizes/Dim.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

std::vector<char> heddle::bytesOf(DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  std::vector<char> bytes(*storedSize(type));
  if (bytes.empty())
    return bytes;
  if (type.getElementType().isInteger(1)) {
    llvm::copy(elements.getValues<bool>(), bytes.begin());
    return bytes;
  }
  ArrayRef<char> raw = elements.getRawData();
  if (!elements.isSplat()) {
    std::memcpy(bytes.data(), raw.data(), bytes.size());
    return bytes;
  }
  size_t width = *storedElementSize(type.getElementType());
  for (size_t i = 0; i < bytes.size(); i += width)
    std::memcpy(bytes.data() + i, raw.data(), width);
  return bytes;
}

DenseElementsAttr heddle::fromBytes(RankedTensorType type, ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> values(bytes.begin(), bytes.end());
  return DenseElementsAttr::get(type, values);
}

DenseElementsAttr heddle::gatherStrided(DenseElementsAttr source, ArrayRef<int64_t> shape, int64_t base,
                                              ArrayRef<int64_t> strides) {
  Type element = source.getType().getElementType();
  auto type = RankedTensorType::get(shape, element);
  if (source.isSplat() && !llvm::is_contained(shape, 0))
    return source.resizeSplat(type);
  std::vector<char> from = bytesOf(source), to(*storedSize(type));
  size_t width = *storedElementSize(element);
  char *out = to.data();
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t at = base;
    for (auto [i, stride] : llvm::zip_equal(index, strides))
      at += i * stride;
    std::memcpy(out, from.data() + at * width, width);
    out += width;
  });
  return fromBytes(type, to);
}

std::optional<Numbers> heddle::integersOf(DenseElementsAttr elements) {
  auto integer = dyn_cast<IntegerType>(elements.getType().getElementType());
  if (!integer || elements.getNumElements() > foldLimit)
    return std::nullopt;
  SmallVector<int64_t> values;
  for (const APInt &value : elements.getValues<APInt>())
    values.push_back(integer.getWidth() == 1 ? value.getZExtValue() : value.getSExtValue());
  return values;
}

std::optional<Numbers> heddle::integersOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !fixedNumbers(dimsOf(elements.getType())))
    return std::nullopt;
  return integersOf(elements);
}

Numbers heddle::stridesOf(ArrayRef<int64_t> shape) {
  Numbers strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}
