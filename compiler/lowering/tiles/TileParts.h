//===- TileParts.h - slices that workgroups read or write -------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_TILEPARTS_H
#define HEDDLE_LOWERING_TILES_TILEPARTS_H

#include "Extent.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// Emits a tensor.extract_slice of `source` with unit strides. Returns null if `source` is null.
mlir::Value emitPart(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source,
                     llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Emits a linalg.fill of `tensor` with `number`, and returns the filled tensor.
mlir::Value emitFilled(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor, double number);

/// Emits the number of elements of a block of `size` elements that begins at `first`, a multiple of `size`: fewer than
/// `size` if fewer of the `all` elements are left.
mlir::OpFoldResult emitCountFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult first, const Extent &all,
                                 int64_t size);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_TILEPARTS_H
