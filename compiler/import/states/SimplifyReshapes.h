//===- SimplifyReshapes.h - reshapes that move no element ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H
#define HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Simplifies reshapes that collapse dimensions and expand them again to the same ones except for dimensions of 1, as
/// views of scores of a single query do: [2, 1, 1, 9] to [18] to [2, 9, 1] becomes a reshape by way of [2, 9].
/// Afterwards each dimension has a meaning of its own.
void simplifyReshapes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H
