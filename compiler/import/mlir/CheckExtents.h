//===- CheckExtents.h - checks of extents at all sizes ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_CHECKEXTENTS_H
#define HEDDLE_IMPORT_MLIR_CHECKEXTENTS_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Checks that an operation of an .mlir file is valid at all sizes of the current import; MLIR verifies the operation
/// only for the placeholders of sizes. Extents of the same dimension must be equal, slices and results of index maps
/// must lie inside their tensors, and the extents of results must follow from the operands. MLIR's verifier evaluates
/// index maps only at the first and the last iteration of loops, so this function checks them even if all sizes are
/// fixed. The error names the operation. If the operation is valid at some sizes only, the error also contains sizes at
/// which the operation is valid and sizes at which it is invalid, if such sizes are found.
mlir::LogicalResult checkExtents(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_CHECKEXTENTS_H
