//===- KeyParts.h - results of parts of the keys ----------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_KEYPARTS_H
#define HEDDLE_COMPILER_LOWERING_KEYPARTS_H

#include "OnlineSoftmax.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// The results of tasks that compute the softmax over parts of the keys: tensors [batch, groups, parts, rows] of maxima
/// and of sums, and [batch, groups, parts, rows, Dv] of outputs. A group consists of the heads of one task, and its
/// rows are their queries.
class KeyParts {
public:
  /// Groups have `heads` heads and `rows` rows; `valueSize` is Dv.
  KeyParts(TileBuilder &b, OnlineSoftmax &softmax, int64_t heads, int64_t rows, int64_t valueSize)
      : b(b), softmax(softmax), heads(heads), rows(rows), valueSize(valueSize) {}

  /// Emits new, uninitialised tensors for the results.
  llvm::SmallVector<mlir::Value> emitEmpty(int64_t batch, int64_t groups, int64_t parts);
  /// Writes the state of part `part` to the shared outputs of `forall`, as the last operations of its tasks.
  void emitStored(mlir::scf::ForallOp forall, const TaskQueries &queries, mlir::Value part, const SoftmaxState &state);
  /// Joins the results of `count` parts, in their order, for the heads of a task. The joined output is not yet divided
  /// by the sum.
  SoftmaxState emitJoined(const TaskQueries &queries, mlir::Value count, mlir::ValueRange parts);

private:
  /// A slice of one of the tensors: offsets, sizes, and the dimensions that remain in the slice.
  struct Place {
    llvm::SmallVector<mlir::OpFoldResult> offsets;
    llvm::SmallVector<Extent> sizes;
    llvm::SmallVector<unsigned> keep;
  };
  Place getPlace(const TaskQueries &queries, mlir::Value part, llvm::ArrayRef<int64_t> columns = {});

  TileBuilder &b;
  OnlineSoftmax &softmax;
  int64_t heads, rows, valueSize;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_KEYPARTS_H
