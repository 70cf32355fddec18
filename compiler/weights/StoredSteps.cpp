//===- StoredSteps.cpp - steps of stored formats on bytes -----------------===//

#include "StoredSteps.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace heddle;
using llvm::support::endian::read32le, llvm::support::endian::write32le;

/// The elements in f32; wider ones are rounded.
static std::vector<float> asF32(const StoredTensor &tensor) {
  std::vector<float> elements(tensor.type.getNumElements());
  castBytes(tensor, Float32Type::get(tensor.type.getContext()),
            {reinterpret_cast<char *>(elements.data()), elements.size() * sizeof(float)});
  return elements;
}

/// Calls `body` with the number of each element and that of its block, both in row-major order.
template <typename Body>
static void forEachInBlocks(ArrayRef<int64_t> shape, ArrayRef<int64_t> block, Body body) {
  SmallVector<int64_t> index(shape.size(), 0), strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * llvm::divideCeilSigned(shape[i + 1], block[i + 1]);
  for (int64_t element = 0, count = llvm::product_of(shape); element < count; ++element) {
    int64_t number = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      number += index[i] / block[i] * strides[i];
    body(element, number);
    for (int64_t i = int64_t(shape.size()) - 1; i >= 0 && ++index[i] == shape[i]; --i)
      index[i] = 0;
  }
}

/// The scale of each block; NaN for one that has a number that is not finite.
static std::vector<float> scalesOf(ArrayRef<float> elements, ArrayRef<int64_t> shape, int64_t bits,
                                   ArrayRef<int64_t> block, ArrayRef<int64_t> exact) {
  SmallVector<int64_t> blocks;
  for (auto [size, length] : llvm::zip_equal(shape, block))
    blocks.push_back(llvm::divideCeilSigned(size, length));
  std::vector<float> scales(llvm::product_of(blocks), 0x1p-100f);
  int64_t rowLength = shape.empty() || !shape[0] ? 1 : std::max<int64_t>(1, elements.size() / shape[0]);
  forEachInBlocks(shape, block, [&](int64_t element, int64_t number) {
    if (!exact.empty() && llvm::binary_search(exact, element / rowLength))
      return;
    float size = std::fabs(elements[element]), &most = scales[number];
    most = std::isfinite(size) ? (size > most ? size : most) : std::nanf("");
  });
  float levels = float((1 << (bits - 1)) - 1);
  for (float &scale : scales)
    scale /= levels;
  return scales;
}

void heddle::scalesBytes(const StoredTensor &tensor, int64_t bits, ArrayRef<int64_t> block, ArrayRef<int64_t> exact,
                         Bytes result) {
  std::vector<float> scales = scalesOf(asF32(tensor), tensor.type.getShape(), bits, block, exact);
  std::memcpy(result.data(), scales.data(), result.size());
}

void heddle::quantizeBytes(const StoredTensor &tensor, int64_t bits, ArrayRef<int64_t> block, ArrayRef<int64_t> exact,
                           Bytes result) {
  ArrayRef<int64_t> shape = tensor.type.getShape();
  std::vector<float> elements = asF32(tensor), scales = scalesOf(elements, shape, bits, block, exact);
  int64_t rowLength = shape.empty() || !shape[0] ? 1 : std::max<int64_t>(1, elements.size() / shape[0]);
  float levels = float((1 << (bits - 1)) - 1);
  forEachInBlocks(shape, block, [&](int64_t element, int64_t number) {
    float rounded = std::nearbyint(elements[element] / scales[number]); // to even: the mode that programs start in
    bool stays = (!exact.empty() && llvm::binary_search(exact, element / rowLength)) || std::isnan(rounded);
    result[element] = stays ? char(0) : char(int(std::fmin(levels, std::fmax(-levels, rounded))));
  });
}

void heddle::takeBytes(const StoredTensor &tensor, ArrayRef<int64_t> rows, Bytes result) {
  if (rows.empty() || result.empty())
    return;
  int64_t size = result.size() / rows.size();
  for (auto [i, row] : llvm::enumerate(rows))
    std::memcpy(result.data() + i * size, tensor.bytes.data() + row * size, size);
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

void heddle::addBytes(const StoredTensor &tensor, int64_t number, Bytes result) {
  if (tensor.type.getElementType().isInteger(32)) {
    for (size_t at = 0; at < result.size(); at += sizeof(uint32_t))
      write32le(result.data() + at, read32le(tensor.bytes.data() + at) + uint32_t(number));
    return;
  }
  for (auto [from, to] : llvm::zip_equal(tensor.bytes, result))
    to = char(uint8_t(from) + uint8_t(number));
}
