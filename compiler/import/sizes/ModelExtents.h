//===- ModelExtents.h - extents of a model's tensors ------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_MODELEXTENTS_H
#define HEDDLE_IMPORT_SIZES_MODELEXTENTS_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Returns the numbers of a model that may be placeholders: extents of all tensors, offsets of slices and of
/// concatenated parts, widths of padding, and the bounds of the values of inputs (heddle.range).
llvm::SmallVector<int64_t> extentsOf(mlir::ModuleOp module);

/// Checks that no input or output has more than 2^45 bytes when the sizes in ranges have their maxima; otherwise
/// products of sizes and strides might overflow. Also checks that the size in bytes that follows from the placeholders
/// in the type of each input and output fits into 64 bits.
mlir::LogicalResult checkLargest(mlir::ModuleOp model);

/// Checks that only data movement and elementwise operations have operands or results that may be empty at some sizes
/// of the current import. Such operations become loops, which may have no iterations, but reductions and layers do not
/// support empty tensors.
mlir::LogicalResult checkEmpty(mlir::ModuleOp model);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_MODELEXTENTS_H
