//===- Slices.h - slices of tensors and buffers -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_SLICES_H
#define HEDDLE_DIALECT_INTERPRETER_SLICES_H

#include "interpreter/Tensor.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

namespace heddle {

/// Returns the values of `mixed`, the static and dynamic offsets, sizes or bounds of an op. Dynamic values are read
/// from `operands`, the values of the op's operands.
llvm::SmallVector<int64_t> resolve(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                   llvm::ArrayRef<mlir::OpFoldResult> mixed);

/// The elements of a slice have the indices offsets[i] + k * steps[i], with 0 <= k < sizes[i], along dimension i.
struct Slice {
  llvm::SmallVector<int64_t> offsets, sizes, steps;
};

/// Returns the slice that the op describes. Emits an error if it exceeds a tensor or buffer of this shape.
mlir::FailureOr<Slice> resolveSlice(mlir::OffsetSizeAndStrideOpInterface op, llvm::ArrayRef<Tensor> operands,
                                    llvm::ArrayRef<int64_t> shape);

/// Writes operand 0 into the slice of `destination` that the op describes.
llvm::LogicalResult writeSlice(mlir::OffsetSizeAndStrideOpInterface op, llvm::ArrayRef<Tensor> operands,
                               Tensor &destination);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_SLICES_H
