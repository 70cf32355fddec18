//===- FormatReader.h - reads blocks of a format ----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_FORMATS_FORMATREADER_H
#define HEDDLE_DIALECT_FORMATS_FORMATREADER_H

#include "Heddle.h"

#include <array>

namespace heddle {

/// Reads the numbers of a plane.
class PlaneReader {
public:
  /// `length` is the number of elements of a block.
  PlaneReader(const FormatPlane &plane, int64_t length);

  /// Returns the bits of number `index` of a block that begins at `block`.
  uint32_t bits(const char *block, int64_t index) const {
    uint32_t found = 0;
    for (const Piece &piece : llvm::ArrayRef(pieces).slice(index * perNumber, perNumber))
      found |= uint32_t(uint8_t(block[piece.byte]) >> piece.shift & piece.mask) << piece.position;
    return found;
  }
  /// Returns the number that the bits `bits` represent.
  double number(uint32_t bits) const;

private:
  /// A part of a number that lies in one byte: its bits `shift` and above, of which `mask` selects the lowest. In the
  /// number they begin at bit `position`.
  struct Piece {
    int32_t byte;
    uint8_t shift, mask, position;
  };
  std::vector<Piece> pieces; // the pieces of one number are adjacent
  size_t perNumber = 0;      // the number of pieces of a number
  FormatPlane::Type type;
  int64_t width = 0; // the number of bits of a number
};

/// Reads the codes, scales and offsets of blocks of a format.
class FormatReader {
public:
  explicit FormatReader(Format format);

  /// Reads the codes of the block that begins at `block`.
  void readCodes(const char *block, llvm::MutableArrayRef<int8_t> codes) const;
  /// Read the scale or the offset of each group of a block.
  void readScales(const char *block, llvm::MutableArrayRef<float> scales) const;
  void readOffsets(const char *block, llvm::MutableArrayRef<float> offsets) const;

private:
  /// Calls `body` with the number of each group and the group's number of each parameter.
  template <typename Body> void forEachGroup(const char *block, Body body) const;

  Format format;
  std::vector<PlaneReader> planes;
  std::array<int8_t, 256> codes; // the code that each number of the first plane represents, by the number's bits
};

} // namespace heddle

#endif // HEDDLE_DIALECT_FORMATS_FORMATREADER_H
