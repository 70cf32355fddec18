//===- Tensors.h - common operations of imported models ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H
#define HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H

#include "../sizes/Dim.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The type of a value that is known to be a ranked tensor.
inline mlir::RankedTensorType getType(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }

/// Permutes columns: column i of the result is column order[i] of `value` [.., columns].
mlir::Value takeColumns(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> order);

/// Returns the rows of `table` [n, d] with the indices `ids` [...], as a tensor [..., d]. All indices must be less than
/// n.
mlir::Value lookUp(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, mlir::Value ids);

/// The first `count` rows of `table` [n, d]. The table must have more rows than `count` at all sizes.
mlir::Value takeRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, const Dim &count);

/// Returns row `index` of each sequence in `value` [batch, sequence, width]: [batch, width].
mlir::Value takeToken(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t index);

/// Returns element `index` of each row of `value` [batch, sequence, width]: [batch, sequence].
mlir::Value takeFeature(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t index);

/// Returns the positions of the tokens `ids` [batch, sequence] by roberta's rule: the tokens other than `padding` have
/// the positions `padding` + 1, `padding` + 2 and so on; padding tokens have position `padding`.
mlir::Value positionsOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value ids, int64_t padding);

/// Broadcasts `value` to `type`. `dims` are the dimensions of the result that `value` does not have.
mlir::Value broadcast(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::RankedTensorType type,
                      llvm::ArrayRef<int64_t> dims);

/// The sum along dimension `dim`, or the maximum if `maximum` is true.
mlir::Value reduce(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t dim, bool maximum = false);

/// A tensor of `type` whose elements all are `value`.
mlir::Value splat(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type, double value);

/// An integer tensor of `type` whose elements all equal the size `size`.
mlir::Value splatSize(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type, const Dim &size);

/// An i1 tensor that is true for elements that differ from zero.
mlir::Value isNotZero(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H
