//===- Linalg.h - loops and accesses of linalg ops --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_LINALG_H
#define HEDDLE_DIALECT_INTERPRETER_LINALG_H

#include "interpreter/Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// The linear access function of an operand of a linalg op: iteration (i0, i1, ...) of the op's loops accesses the
/// element number offset + i0 strides[0] + i1 strides[1] + ... of the operand.
struct Access {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// Computes the trip counts of the op's loops (`loops`) and the access function of each operand (`accesses`). An input
/// in `operands` with a nonlinear indexing map is replaced by a copy of its elements in the order of the loops. Emits
/// an error if the map of an output is nonlinear, or if the shapes of the operands are inconsistent or do not determine
/// all trip counts.
mlir::LogicalResult analyzeLoops(mlir::linalg::LinalgOp op, llvm::MutableArrayRef<Tensor> operands,
                                 llvm::SmallVectorImpl<int64_t> &loops, llvm::SmallVectorImpl<Access> &accesses);

/// Evaluates the op with the fast matrix product `contract` (Contraction.h) if it is a contraction: a sum of products
/// of floats from two inputs, in which all indexing maps are projected permutations and no loop indexes only one of the
/// three tensors. Returns false, without a result, for other ops.
bool evaluateContraction(mlir::linalg::LinalgOp op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<int64_t> loops,
                         llvm::ArrayRef<Access> accesses, Evaluator &evaluator,
                         llvm::SmallVectorImpl<Tensor> &results);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_LINALG_H
