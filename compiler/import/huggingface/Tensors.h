//===- Tensors.h - common operations of imported models ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H
#define HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H

#include "../sizes/Dim.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Returns the type of a value that must be a ranked tensor.
inline mlir::RankedTensorType getType(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }

/// Permutes columns: column i of the result is column order[i] of `value` [.., columns].
mlir::Value takeColumns(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> order);

/// Returns the rows of `table` [n, d] with the indices `ids` [...], as a tensor [..., d]. All indices must lie in 0 to
/// n - 1.
mlir::Value lookUp(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, mlir::Value ids);

/// Returns the first `count` rows of `table` [n, d]. The table must have at least `count` rows at all sizes. If `count`
/// lies in a range, requires that its placeholder is less than the number of rows.
mlir::Value takeRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, const Dim &count);

/// Returns row `index` of each sequence in `value` [batch, sequence, width]: [batch, width].
mlir::Value takeToken(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t index);

/// Returns element `index` of each row of `value` [batch, sequence, width]: [batch, sequence].
mlir::Value takeFeature(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t index);

/// Returns the positions of the tokens `ids` [batch, sequence] according to roberta's rule: the tokens other than
/// `padding` have the positions `padding` + 1, `padding` + 2 and so on; padding tokens have position `padding`.
mlir::Value positionsOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value ids, int64_t padding);

/// Broadcasts `value` to `type`. `dims` are the dimensions of the result that `value` does not have.
mlir::Value broadcast(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::RankedTensorType type,
                      llvm::ArrayRef<int64_t> dims);

/// Returns the sum along dimension `dim`, or the maximum if `maximum` is true. The result does not have this dimension.
mlir::Value reduce(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t dim, bool maximum = false);

/// Creates a constant of `type` whose elements are all `value`.
mlir::Value splat(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type, double value);

/// Creates an integer tensor of `type` whose elements all equal the size `size`, which may lie in a range.
mlir::Value splatSize(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type, const Dim &size);

/// Creates an i1 tensor that is true for elements that differ from zero.
mlir::Value isNotZero(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H
