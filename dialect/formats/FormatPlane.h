//===- FormatPlane.h - the numbers of a block -------------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_FORMATS_FORMATPLANE_H
#define HEDDLE_DIALECT_FORMATS_FORMATPLANE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Where `width` bits of each number of a plane are in a block. Bit i of a block is bit i mod 8 of byte i div 8, where
/// bit 0 of a byte is the lowest. The bits of the number with the indices i, j, ... begin at bit
/// first + i * strides[0] + j * strides[1] + ...; the indices count the numbers in row-major order of `shape`. If the
/// plane has one number, `shape` is empty.
struct FormatBits {
  int64_t width, first;
  llvm::SmallVector<int64_t> shape, strides;
};

/// A plane consists of the numbers in a block that have the same role, such as its codes or its scales.
struct FormatPlane {
  enum class Type { Unsigned, Signed, F16 };

  llvm::StringRef name; // the name of its numbers in formulas
  Type type;
  int64_t shared; // the number of successive elements that share one number
  llvm::SmallVector<FormatBits> bits; // the bits of a number, the lowest first
};

} // namespace heddle

#endif // HEDDLE_DIALECT_FORMATS_FORMATPLANE_H
