//===- RecipeSteps.cpp - the steps of a recipe on bytes -------------------===//

#include "RecipeSteps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

std::optional<ConcatPart> heddle::getConcatPart(Attribute attribute) {
  auto pair = dyn_cast<ArrayAttr>(attribute);
  if (!pair || pair.size() != 2)
    return std::nullopt;
  auto name = dyn_cast<StringAttr>(pair[0]);
  auto recipe = dyn_cast<ArrayAttr>(pair[1]);
  if (!name || !recipe)
    return std::nullopt;
  return ConcatPart{name, recipe};
}

/// Returns the distance in bytes between neighbouring elements along each dimension.
static SmallVector<int64_t> byteStrides(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank());
  int64_t stride = *storedElementSize(type.getElementType());
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= type.getDimSize(i);
  }
  return strides;
}

/// Copies `count` elements of `width` bytes, which are `stride` bytes apart, to adjacent elements.
template <size_t width>
static void gatherElements(char *to, const char *from, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * width, from + i * stride, width);
}

/// Writes the elements of a tensor at `from`, which has the shape `shape` and strides in bytes, to `to` in row-major
/// order. Advances `to`.
static void gather(ArrayRef<int64_t> shape, const char *from, ArrayRef<int64_t> strides, int64_t elementSize,
                   char *&to) {
  if (shape.empty()) {
    std::memcpy(to, from, elementSize);
    to += elementSize;
    return;
  }
  if (shape.size() > 1) {
    for (int64_t i = 0; i < shape.front(); ++i)
      gather(shape.drop_front(), from + i * strides.front(), strides.drop_front(), elementSize, to);
    return;
  }
  int64_t count = shape.front(), stride = strides.front();
  if (stride == elementSize)
    std::memcpy(to, from, count * elementSize);
  else if (elementSize == 1)
    gatherElements<1>(to, from, count, stride);
  else if (elementSize == 2)
    gatherElements<2>(to, from, count, stride);
  else if (elementSize == 4)
    gatherElements<4>(to, from, count, stride);
  else
    gatherElements<8>(to, from, count, stride);
  to += count * elementSize;
}

void heddle::transposeBytes(const StoredTensor &tensor, ArrayRef<int64_t> permutation, Bytes result) {
  if (result.empty())
    return;
  SmallVector<int64_t> strides = byteStrides(tensor.type), shape, permuted;
  for (int64_t dim : permutation) {
    shape.push_back(tensor.type.getDimSize(dim));
    permuted.push_back(strides[dim]);
  }
  char *to = result.data();
  gather(shape, tensor.bytes.data(), permuted, *storedElementSize(tensor.type.getElementType()), to);
}

void heddle::sliceBytes(const StoredTensor &tensor, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                        Bytes result) {
  if (result.empty())
    return;
  SmallVector<int64_t> strides = byteStrides(tensor.type);
  const char *from = tensor.bytes.data();
  for (auto [offset, stride] : llvm::zip(offsets, strides))
    from += offset * stride;
  char *to = result.data();
  gather(sizes, from, strides, *storedElementSize(tensor.type.getElementType()), to);
}

void heddle::packBytes(const StoredTensor &tensor, int64_t panel, int64_t interleaved, int64_t depth, Bytes result) {
  if (tensor.bytes.empty())
    return;
  int64_t rows = tensor.type.getDimSize(0), columns = tensor.type.getDimSize(1);
  int64_t elementSize = *storedElementSize(tensor.type.getElementType());
  // The result consists of `interleaved` parts of `panels` panels each.
  // Panel `number` is in part `number % interleaved`.
  int64_t panels = llvm::divideCeilSigned(columns, panel * interleaved);
  int64_t panelSize = llvm::divideCeilSigned(rows, depth) * depth * panel * elementSize;
  for (int64_t first = 0; first < columns; first += panel) { // padding columns of the result remain zero
    int64_t count = std::min(panel, columns - first), number = first / panel;
    char *to = result.data() + (number % interleaved * panels + number / interleaved) * panelSize;
    for (int64_t row = 0; row < rows; ++row) {
      const char *from = tensor.bytes.data() + (row * columns + first) * elementSize;
      char *start = to + (row / depth * panel * depth + row % depth) * elementSize;
      if (depth == 1)
        std::memcpy(start, from, count * elementSize);
      else
        for (int64_t i = 0; i < count; ++i)
          std::memcpy(start + i * depth * elementSize, from + i * elementSize, elementSize);
    }
  }
}

void heddle::copyIntoConcat(const StoredTensor &part, int64_t axis, RankedTensorType whole, int64_t &position,
                            Bytes result) {
  int64_t extent = part.type.getDimSize(axis);
  int64_t chunk = byteStrides(part.type)[axis] * extent, row = byteStrides(whole)[axis] * whole.getDimSize(axis);
  int64_t start = byteStrides(whole)[axis] * position;
  if (chunk != 0)
    for (int64_t i = 0, count = part.bytes.size() / chunk; i < count; ++i)
      std::memcpy(result.data() + i * row + start, part.bytes.data() + i * chunk, chunk);
  position += extent;
}

//===----------------------------------------------------------------------===//
// cast
//===----------------------------------------------------------------------===//

/// Returns the value of the number with these bits.
static double toDouble(uint64_t bits, FloatType type) {
  if (type.isF32()) // most weights are f32, and APFloat is slow
    return llvm::bit_cast<float>(uint32_t(bits));
  llvm::APFloat value(type.getFloatSemantics(), llvm::APInt(type.getWidth(), bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Returns the values of all bit patterns of a type with at most 16 bits.
static std::vector<double> tabulate(FloatType type) {
  std::vector<double> table(size_t(1) << type.getWidth());
  for (size_t bits = 0; bits < table.size(); ++bits)
    table[bits] = toDouble(bits, type);
  return table;
}

/// Returns the bits of `value` in the type, rounded once to the nearest value with ties to even.
static uint64_t fromDouble(double value, FloatType type) {
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(value);
  if (type.isF32())
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result.bitcastToAPInt().getZExtValue();
}

/// Rounds an f32 number, given by its bits, to the nearest f16 or bf16 with ties to even. Returns nothing if `to` is
/// another type, or if the number is so small or so large that the result might not be a normal number.
static std::optional<uint16_t> dropDigits(uint32_t bits, FloatType to) {
  bool isHalf = to.isF16();
  if (!isHalf && !to.isBF16())
    return std::nullopt;
  // The difference of the exponent biases, and bounds of the magnitudes whose results are certainly normal numbers.
  // Magnitudes with the largest exponent are excluded, because some of them are rounded to infinity.
  uint32_t shift = isHalf ? 112u << 23 : 0;
  uint32_t minimum = isHalf ? 113u << 23 : 1u << 23, maximum = isHalf ? 142u << 23 : 254u << 23;
  unsigned dropped = isHalf ? 13 : 16;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude < minimum || magnitude >= maximum)
    return std::nullopt;
  // Adding `half`, and 1 if the last remaining digit is odd, rounds to nearest with ties to even.
  uint32_t half = (1u << (dropped - 1)) - 1, odd = (magnitude >> dropped) & 1;
  return uint16_t((bits >> 31) << 15 | (magnitude - shift + half + odd) >> dropped);
}

void heddle::castBytes(const StoredTensor &tensor, Type element, Bytes result) {
  auto to = cast<FloatType>(element);
  int64_t toSize = to.getWidth() / 8;
  auto from = dyn_cast<FloatType>(tensor.type.getElementType());
  if (!from) { // i32
    for (int64_t i = 0, count = tensor.bytes.size() / sizeof(int32_t); i < count; ++i) {
      int32_t number;
      std::memcpy(&number, tensor.bytes.data() + i * sizeof(number), sizeof(number));
      uint64_t rounded = fromDouble(number, to);
      std::memcpy(result.data() + i * toSize, &rounded, toSize);
    }
    return;
  }
  int64_t fromSize = from.getWidth() / 8;
  std::vector<double> table;
  if (from.getWidth() <= 16)
    table = tabulate(from);
  for (int64_t i = 0, count = tensor.bytes.size() / fromSize; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + i * fromSize, fromSize); // little-endian, like the host
    // The fast conversion applies to almost all numbers in checkpoints.
    std::optional<uint16_t> narrow = from.isF32() ? dropDigits(uint32_t(bits), to) : std::nullopt;
    uint64_t rounded = narrow ? *narrow : fromDouble(!table.empty() ? table[bits] : toDouble(bits, from), to);
    std::memcpy(result.data() + i * toSize, &rounded, toSize);
  }
}
