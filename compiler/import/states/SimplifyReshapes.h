//===- SimplifyReshapes.h - simplifies pairs of reshapes --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H
#define HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Simplifies a collapse that is followed by an expansion, if the source and the result have the same dimensions except
/// for dimensions of extent 1. For example, [2, 1, 1, 9] -> [18] -> [2, 9, 1], which occurs for the scores of a single
/// query, becomes [2, 1, 1, 9] -> [2, 9] -> [2, 9, 1]. The intermediate tensor then does not merge the batch dimension,
/// here 2, with another dimension.
void simplifyReshapes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_SIMPLIFYRESHAPES_H
