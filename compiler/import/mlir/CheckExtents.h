//===- CheckExtents.h - what operations ask of extents ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_CHECKEXTENTS_H
#define HEDDLE_IMPORT_MLIR_CHECKEXTENTS_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Whether an operation of an .mlir file is valid for all sizes of the current import: MLIR verifies it for the numbers
/// that stand for them. Extents that are one must be equal, slices and what maps of loops say must lie inside of what they
/// are of (of loops MLIR looks at the first and the last place alone, so this is asked at fixed sizes as well), and the
/// extents of results must be those that its operands make. An error names the operation, and sizes at which it is so and
/// not.
mlir::LogicalResult checkExtents(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_CHECKEXTENTS_H
