//===- Slices.h - slices of tensors and buffers -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_SLICES_H
#define HEDDLE_DIALECT_INTERPRETER_SLICES_H

#include "interpreter/Tensor.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

namespace heddle {

/// Returns the values of `mixed`: offsets, sizes or bounds of an op, each of which is an attribute or an operand of the
/// op. `operands` are the values of all operands of the op.
llvm::SmallVector<int64_t> resolve(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                   llvm::ArrayRef<mlir::OpFoldResult> mixed);

/// A slice of a tensor or buffer. Along dimension i its elements have the indices offsets[i] + k * steps[i], with
/// 0 <= k < sizes[i].
struct Slice {
  llvm::SmallVector<int64_t> offsets, sizes, steps;
};

/// Returns the slice that the op describes. Emits an error if an element of the slice is outside of a tensor or buffer
/// of this shape.
mlir::FailureOr<Slice> resolveSlice(mlir::OffsetSizeAndStrideOpInterface op, llvm::ArrayRef<Tensor> operands,
                                    llvm::ArrayRef<int64_t> shape);

/// Writes the value of operand 0, the source, into the slice of `destination` that the op describes. Emits an error if
/// the slice is not inside of `destination`, or if it has another number of elements than the source.
llvm::LogicalResult writeSlice(mlir::OffsetSizeAndStrideOpInterface op, llvm::ArrayRef<Tensor> operands,
                               Tensor &destination);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_SLICES_H
