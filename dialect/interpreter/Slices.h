//===- Slices.h - slices of tensors and buffers -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_SLICES_H
#define HEDDLE_DIALECT_INTERPRETER_SLICES_H

#include "interpreter/Tensor.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

namespace heddle {

/// Returns the static and dynamic offsets, sizes or bounds of an op as one list; the dynamic values come from the op's
/// operands.
llvm::SmallVector<int64_t> resolve(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                   llvm::ArrayRef<mlir::OpFoldResult> mixed);

struct Slice {
  llvm::SmallVector<int64_t> offsets, sizes, steps;
};

/// Returns the slice of the op; emits an error if it exceeds a tensor or buffer of this shape.
mlir::FailureOr<Slice> resolveSlice(mlir::OffsetSizeAndStrideOpInterface op, llvm::ArrayRef<Tensor> operands,
                                    llvm::ArrayRef<int64_t> shape);

/// Writes operand 0 into the op's slice of `destination`.
llvm::LogicalResult writeSlice(mlir::OffsetSizeAndStrideOpInterface op, llvm::ArrayRef<Tensor> operands,
                               Tensor &destination);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_SLICES_H
