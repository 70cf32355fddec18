//===- StateProducts.h - products with an attention state -------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_STATEPRODUCTS_H
#define HEDDLE_COMPILER_LOWERING_STATEPRODUCTS_H

#include "TileBuilder.h"

namespace heddle {

/// Returns state + keys^T x values, [D][columns], for keys [n][D] and values [n][columns].
mlir::Value addProducts(TileBuilder &b, mlir::Value keys, mlir::Value values, mlir::Value state);

/// Returns queries [rows][D] x state [D][columns], computed in `into`.
mlir::Value applied(TileBuilder &b, mlir::Value queries, mlir::Value state, mlir::Value into);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_STATEPRODUCTS_H
