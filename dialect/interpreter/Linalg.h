//===- Linalg.h - how the models of linalg ops see an op --------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_LINALG_H
#define HEDDLE_DIALECT_INTERPRETER_LINALG_H

#include "interpreter/Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// An operand of a structured op as a walk through its elements: the element of iteration
/// (i0, i1, ..) lies at offset + i0 strides[0] + i1 strides[1] + ...
struct Access {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// The sizes of the loops and the walk of each operand. An input whose indexing map is not linear
/// is replaced by its elements in the order of the loops. Emits an error where an output's is not,
/// or the sizes contradict each other.
mlir::LogicalResult analyzeLoops(mlir::linalg::LinalgOp op, llvm::MutableArrayRef<Tensor> operands,
                                 llvm::SmallVectorImpl<int64_t> &loops, llvm::SmallVectorImpl<Access> &accesses);

/// The native path: computes the op if it is a sum of products of floats, else returns false.
bool evaluateContraction(mlir::linalg::LinalgOp op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<int64_t> loops,
                         llvm::ArrayRef<Access> accesses, Evaluator &evaluator,
                         llvm::SmallVectorImpl<Tensor> &results);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_LINALG_H
