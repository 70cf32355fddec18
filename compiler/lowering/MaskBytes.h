//===- MaskBytes.h - conversion of i1 masks to bytes ------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_MASKBYTES_H
#define HEDDLE_COMPILER_LOWERING_MASKBYTES_H

#include "TileBuilder.h"

namespace heddle {

/// Returns the mask as a tensor of i8, 0 where it is false. If the mask is the comparison of bytes with 0, returns
/// these bytes.
mlir::Value maskBytes(TileBuilder &b, mlir::Value mask);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_MASKBYTES_H
