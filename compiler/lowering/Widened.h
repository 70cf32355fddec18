//===- Widened.h - tiles that are read more often than once -----*- C++ -*-===//

#ifndef HEDDLE_LOWERING_WIDENED_H
#define HEDDLE_LOWERING_WIDENED_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// A tile of static shape of what is stored narrow, as a tensor of its own: who reads it often converts it once. Any
/// other tile as it is.
mlir::Value emitWidened(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile);

} // namespace heddle

#endif // HEDDLE_LOWERING_WIDENED_H
