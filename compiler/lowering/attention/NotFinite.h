//===- NotFinite.h - results that are computed again ------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_NOTFINITE_H
#define HEDDLE_COMPILER_LOWERING_NOTFINITE_H

#include "TileBuilder.h"

namespace heddle {

/// Emits whether an element of a tile of floats with two dimensions is infinite or NaN.
mlir::Value emitIsNotFinite(TileBuilder &b, mlir::Value tile);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_NOTFINITE_H
