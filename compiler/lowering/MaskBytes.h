//===- MaskBytes.h - i1 masks as the bytes they came from -------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_MASKBYTES_H
#define HEDDLE_COMPILER_LOWERING_MASKBYTES_H

#include "TileBuilder.h"

namespace heddle {

/// Returns the mask as i8, 0 where it is false. A mask that was made from bytes is read from them.
mlir::Value maskBytes(TileBuilder &b, mlir::Value mask);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_MASKBYTES_H
