//===- ModelExtents.h - how large the tensors of a model are ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_MODELEXTENTS_H
#define HEDDLE_IMPORT_SIZES_MODELEXTENTS_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// The numbers of a model that may stand for sizes: extents of all tensors, where slices and parts of what is
/// concatenated begin, widths of padding, and bounds of inputs.
llvm::SmallVector<int64_t> extentsOf(mlir::ModuleOp module);

/// Whether inputs and outputs have at most as many bytes as an address space holds when the sizes that lie in ranges
/// are the largest: then no product of sizes and strides overflows.
mlir::LogicalResult checkLargest(mlir::ModuleOp model);

/// Whether what may be empty at some sizes of the current import is only moved and computed element by element: loops
/// may have nothing to do, but no sum is made of nothing, and no layer has tiles for it.
mlir::LogicalResult checkEmpty(mlir::ModuleOp model);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_MODELEXTENTS_H
