//===- MaskBytes.h - i1 masks as the bytes they came from -------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_MASKBYTES_H
#define HEDDLE_COMPILER_LOWERING_MASKBYTES_H

#include "TileBuilder.h"

namespace heddle {

/// The mask as i8, 0 where it is false: what came into the kernel as bytes is read as these.
mlir::Value maskBytes(TileBuilder &b, mlir::Value mask);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_MASKBYTES_H
