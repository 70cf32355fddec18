//===- FormatReader.cpp - reads blocks of a format ------------------------===//

#include "formats/FormatReader.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

PlaneReader::PlaneReader(const FormatPlane &plane, int64_t length) : type(plane.type) {
  std::vector<std::vector<Piece>> numbers(length / plane.shared);
  for (const FormatBits &field : plane.bits) {
    for (auto [index, parts] : llvm::enumerate(numbers)) {
      int64_t at = field.first, rest = index;
      for (auto [size, stride] : llvm::reverse(llvm::zip_equal(field.shape, field.strides))) {
        at += rest % size * stride;
        rest /= size;
      }
      for (int64_t read = 0; read < field.width;) { // a piece ends at the end of a byte
        int64_t from = at + read, count = std::min(8 - from % 8, field.width - read);
        parts.push_back({int32_t(from / 8), uint8_t(from % 8), uint8_t((1 << count) - 1), uint8_t(width + read)});
        read += count;
      }
    }
    width += field.width;
  }
  for (const std::vector<Piece> &parts : numbers)
    perNumber = std::max(perNumber, parts.size());
  for (std::vector<Piece> &parts : numbers) {
    parts.resize(perNumber, Piece{0, 0, 0, 0}); // a piece without bits
    llvm::append_range(pieces, parts);
  }
}

double PlaneReader::number(uint32_t bits) const {
  switch (type) {
  case FormatPlane::Type::Unsigned:
    return bits;
  case FormatPlane::Type::Signed:
    return double(llvm::SignExtend64(bits, width));
  case FormatPlane::Type::F16:
    return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits)).convertToDouble();
  }
  llvm_unreachable("not a type of a plane");
}

FormatReader::FormatReader(Format format) : format(format) {
  for (const FormatPlane &plane : format.getPlanes())
    planes.emplace_back(plane, format.getBlockLength());
  int64_t width = 0;
  for (const FormatBits &field : format.getPlanes().front().bits)
    width += field.width;
  for (uint32_t bits = 0; bits < (1u << width); ++bits)
    codes[bits] = int8_t(format.getCode(int64_t(planes.front().number(bits))));
}

void FormatReader::readCodes(const char *block, MutableArrayRef<int8_t> result) const {
  for (auto [index, code] : llvm::enumerate(result))
    code = codes[planes.front().bits(block, index)];
}

template <typename Body> void FormatReader::forEachGroup(const char *block, Body body) const {
  ArrayRef<FormatPlane> parameters = format.getPlanes().drop_front();
  ArrayRef<PlaneReader> readers = ArrayRef(planes).drop_front();
  int64_t length = format.getGroupLength();
  SmallVector<double> numbers(parameters.size());
  for (int64_t group = 0; group < format.getBlockLength() / length; ++group) {
    for (auto [plane, reader, number] : llvm::zip_equal(parameters, readers, numbers))
      number = reader.number(reader.bits(block, group * length / plane.shared));
    body(group, numbers);
  }
}

void FormatReader::readScales(const char *block, MutableArrayRef<float> scales) const {
  forEachGroup(block,
               [&](int64_t group, ArrayRef<double> numbers) { scales[group] = float(format.getScale(numbers)); });
}

void FormatReader::readOffsets(const char *block, MutableArrayRef<float> offsets) const {
  forEachGroup(block,
               [&](int64_t group, ArrayRef<double> numbers) { offsets[group] = float(format.getOffset(numbers)); });
}
