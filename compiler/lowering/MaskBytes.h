//===- MaskBytes.h - conversion of i1 masks to bytes ------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_MASKBYTES_H
#define HEDDLE_COMPILER_LOWERING_MASKBYTES_H

#include "TileBuilder.h"

namespace heddle {

/// Converts a mask from i1 to i8: a byte is 0 where the mask is false, and not 0 where it is true. If the mask was
/// computed by comparing bytes with 0, returns these bytes, so bytes that are not 0 may have any value.
mlir::Value maskBytes(TileBuilder &b, mlir::Value mask);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_MASKBYTES_H
