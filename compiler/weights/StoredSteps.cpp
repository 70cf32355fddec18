//===- StoredSteps.cpp - quantization steps on bytes ----------------------===//

#include "StoredSteps.h"

#include "formats/FormatReader.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace heddle;
using llvm::support::endian::read32le, llvm::support::endian::write32le;

/// Returns the elements as f32; f64 elements are rounded.
static std::vector<float> asF32(const StoredTensor &tensor) {
  std::vector<float> elements(tensor.type.getNumElements());
  if (tensor.type.getElementType().isF32()) { // most weights are f32, and a conversion of each number is slow
    std::memcpy(elements.data(), tensor.bytes.data(), tensor.bytes.size());
    return elements;
  }
  castBytes(tensor, Float32Type::get(tensor.type.getContext()),
            {reinterpret_cast<char *>(elements.data()), elements.size() * sizeof(float)});
  return elements;
}

namespace {
/// Consecutive elements that belong to the same block. `row` is their index along the first dimension, `from` the index
/// of the first element, and `block` the number of the block; `from` and `block` are counted in row-major order.
struct Run {
  int64_t row, from, size, block;
};
} // namespace

/// Calls `body` for each run of a tensor with blocks of the shape `tensorBlock`.
template <typename Body>
static void forEachRun(ArrayRef<int64_t> tensorShape, ArrayRef<int64_t> tensorBlock, Body body) {
  SmallVector<int64_t> shape(tensorShape), block(tensorBlock);
  while (shape.size() < 2) { // trailing dimensions of 1 are added, so that each run is within one row
    shape.push_back(1);
    block.push_back(1);
  }
  size_t rank = shape.size();
  SmallVector<int64_t> index(rank, 0), strides(rank, 1);
  for (size_t i = rank - 1; i-- > 0;)
    strides[i] = strides[i + 1] * llvm::divideCeilSigned(shape[i + 1], block[i + 1]);
  int64_t width = shape.back(), length = block.back();
  for (int64_t line = 0, count = llvm::product_of(ArrayRef(shape).drop_back()); line < count; ++line) {
    int64_t number = 0;
    for (size_t i = 0; i + 1 < rank; ++i)
      number += index[i] / block[i] * strides[i];
    for (int64_t at = 0; at < width; at += length)
      body(Run{index[0], line * width + at, std::min(length, width - at), number++});
    for (size_t i = rank - 1; i-- > 0 && ++index[i] == shape[i];)
      index[i] = 0;
  }
}

/// Returns for each row whether it is an outlier row, which is not quantised. `outliers` are the indices of these rows.
static SmallVector<bool> isOutlierOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> outliers) {
  SmallVector<bool> isOutlier(shape.empty() ? 1 : shape[0], false);
  for (int64_t row : outliers)
    isOutlier[row] = true;
  return isOutlier;
}

/// Returns the scale of each block: the largest magnitude of its elements, but at least 2^-100 so that no scale is 0,
/// divided by the largest quantised integer. The scale is NaN if an element of the block is not finite. The elements of
/// outlier rows are ignored.
static std::vector<float> scalesOf(ArrayRef<float> elements, ArrayRef<int64_t> shape, int64_t bits,
                                   ArrayRef<int64_t> block, ArrayRef<bool> isOutlier) {
  SmallVector<int64_t> blocks;
  for (auto [size, length] : llvm::zip_equal(shape, block))
    blocks.push_back(llvm::divideCeilSigned(size, length));
  std::vector<float> scales(llvm::product_of(blocks), 0x1p-100f);
  forEachRun(shape, block, [&](const Run &run) {
    if (isOutlier[run.row])
      return;
    float maximum = scales[run.block];
    for (float element : elements.slice(run.from, run.size)) {
      float size = std::fabs(element);
      maximum = std::isfinite(size) ? (size > maximum ? size : maximum) : std::nanf("");
    }
    scales[run.block] = maximum;
  });
  float levels = float((1 << (bits - 1)) - 1);
  for (float &scale : scales)
    scale /= levels;
  return scales;
}

void heddle::scalesBytes(const StoredTensor &tensor, int64_t bits, ArrayRef<int64_t> block, ArrayRef<int64_t> outliers,
                         Bytes result) {
  ArrayRef<int64_t> shape = tensor.type.getShape();
  std::vector<float> scales = scalesOf(asF32(tensor), shape, bits, block, isOutlierOf(shape, outliers));
  std::memcpy(result.data(), scales.data(), result.size());
}

void heddle::quantizeBytes(const StoredTensor &tensor, int64_t bits, ArrayRef<int64_t> block,
                           ArrayRef<int64_t> outliers, Bytes result) {
  ArrayRef<int64_t> shape = tensor.type.getShape();
  SmallVector<bool> isOutlier = isOutlierOf(shape, outliers);
  std::vector<float> elements = asF32(tensor), scales = scalesOf(elements, shape, bits, block, isOutlier);
  float levels = float((1 << (bits - 1)) - 1);
  forEachRun(shape, block, [&](const Run &run) {
    for (int64_t i = run.from; i < run.from + run.size; ++i) {
      // nearbyint rounds ties to even in the default rounding mode.
      float rounded = std::nearbyint(elements[i] / scales[run.block]);
      bool isZero = isOutlier[run.row] || std::isnan(rounded);
      result[i] = isZero ? char(0) : char(int(std::fmin(levels, std::fmax(-levels, rounded))));
    }
  });
}

void heddle::takeBytes(const StoredTensor &tensor, ArrayRef<int64_t> rows, Bytes result) {
  if (rows.empty() || result.empty())
    return;
  int64_t size = result.size() / rows.size();
  for (auto [i, row] : llvm::enumerate(rows))
    std::memcpy(result.data() + i * size, tensor.bytes.data() + row * size, size);
}

void heddle::numbersBytes(ArrayRef<int64_t> numbers, Bytes result) {
  for (auto [i, number] : llvm::enumerate(numbers))
    write32le(result.data() + i * sizeof(uint32_t), uint32_t(number));
}

void heddle::keptBitsBytes(const StoredTensor &tensor, int64_t count, Bytes result) {
  for (int64_t i = 0; i < count; ++i)
    write32le(result.data() + i * sizeof(uint32_t), UINT32_MAX);
  for (size_t at = 0; at < tensor.bytes.size(); at += sizeof(uint32_t)) {
    uint32_t number = read32le(tensor.bytes.data() + at);
    if (int64_t(number) < count)
      write32le(result.data() + number * sizeof(uint32_t), 0);
  }
  llvm::copy(tensor.bytes, result.begin() + count * sizeof(uint32_t));
}

void heddle::blockSumsBytes(const StoredTensor &tensor, int64_t block, Bytes result) {
  int64_t rows = tensor.type.getDimSize(0), columns = tensor.type.getDimSize(1);
  std::vector<int32_t> sums(result.size() / sizeof(int32_t), 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      sums[row / block * columns + column] += int8_t(tensor.bytes[row * columns + column]);
  std::memcpy(result.data(), sums.data(), result.size());
}

void heddle::nibblesBytes(const StoredTensor &tensor, Bytes result) {
  for (auto [i, byte] : llvm::enumerate(tensor.bytes)) {
    result[2 * i] = byte & 15;
    result[2 * i + 1] = uint8_t(byte) >> 4;
  }
}

std::optional<int64_t> heddle::joinNibblesBytes(const StoredTensor &tensor, int64_t rows, ArrayRef<int64_t> values,
                                                Bytes result) {
  std::array<uint8_t, 256> bits = {};
  std::array<bool, 256> isKnown = {true};
  for (size_t i = values.size(); i-- > 0;) {
    bits[uint8_t(values[i])] = uint8_t(i);
    isKnown[uint8_t(values[i])] = true;
  }
  for (char byte : tensor.bytes)
    if (!isKnown[uint8_t(byte)])
      return int8_t(byte);
  size_t row = llvm::product_of(tensor.type.getShape().take_back(2)), half = rows / 2 * row;
  for (size_t from = 0, to = 0; to < result.size(); from += 2 * half, to += half)
    for (size_t i = 0; i < half; ++i)
      result[to + i] = char(bits[uint8_t(tensor.bytes[from + i])] | bits[uint8_t(tensor.bytes[from + half + i])] << 4);
  return std::nullopt;
}

void heddle::addBytes(const StoredTensor &tensor, int64_t number, Bytes result) {
  if (tensor.type.getElementType().isInteger(32)) {
    for (size_t at = 0; at < result.size(); at += sizeof(uint32_t))
      write32le(result.data() + at, read32le(tensor.bytes.data() + at) + uint32_t(number));
    return;
  }
  for (auto [from, to] : llvm::zip_equal(tensor.bytes, result))
    to = char(uint8_t(from) + uint8_t(number));
}

void heddle::unpackBytes(const StoredTensor &tensor, Format format, FormatPart part, Bytes result) {
  FormatReader reader(format);
  int64_t length = format.getBlockLength(), groups = length / format.getGroupLength();
  std::vector<int8_t> codes(length);
  std::vector<float> numbers(groups);
  char *to = result.data();
  for (size_t at = 0; at < tensor.bytes.size(); at += format.getBlockBytes()) {
    const char *block = tensor.bytes.data() + at;
    if (part == FormatPart::Codes) {
      reader.readCodes(block, codes);
      to = llvm::copy(codes, to);
      continue;
    }
    if (part == FormatPart::Scales)
      reader.readScales(block, numbers);
    else
      reader.readOffsets(block, numbers);
    std::memcpy(to, numbers.data(), groups * sizeof(float));
    to += groups * sizeof(float);
  }
}
