//===- SimplifyReshapes.h - reshapes that move no element ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H
#define HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Where dimensions are put together and taken apart again into the same ones but for those of 1, as a view of scores
/// of one query is, no longer puts any two together: [2, 1, 1, 9] to [18] to [2, 9, 1] goes by [2, 9]. Then each has a
/// meaning of its own.
void simplifyReshapes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H
