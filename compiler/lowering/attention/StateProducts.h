//===- StateProducts.h - products with a state of keys and values -*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_STATEPRODUCTS_H
#define HEDDLE_COMPILER_LOWERING_STATEPRODUCTS_H

#include "TileBuilder.h"

namespace heddle {

/// keys^T values [D][columns] of some keys, added to `state`.
mlir::Value addProducts(TileBuilder &b, mlir::Value keys, mlir::Value values, mlir::Value state);

/// queries [rows][D] x state [D][columns], in `into`.
mlir::Value applied(TileBuilder &b, mlir::Value queries, mlir::Value state, mlir::Value into);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_STATEPRODUCTS_H
