//===- Tensors.h - common pieces of imported models -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H
#define HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H

#include "../sizes/Dim.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Column i of the result is column order[i] of `value` [.., columns].
mlir::Value takeColumns(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> order);

/// Rows of `table` [n, d] by `ids` [...]: [..., d]. Ids are in range by contract.
mlir::Value lookUp(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, mlir::Value ids);

/// The first `count` rows of `table` [n, d], which has as many for all sizes.
mlir::Value takeRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, const Dim &count);

/// Of `value` [batch, sequence, width] the row of one token: [batch, width].
mlir::Value takeToken(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t index);

/// Of `value` [batch, sequence, width] one element of each row: [batch, sequence].
mlir::Value takeFeature(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t index);

/// Positions of `ids` [batch, sequence] as roberta counts them: the tokens that are not `padding` have `padding` + 1 and
/// so on, those that are have `padding` itself.
mlir::Value positionsOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value ids, int64_t padding);

/// `value` repeated along the result's dimensions `dims`.
mlir::Value broadcast(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::RankedTensorType type,
                      llvm::ArrayRef<int64_t> dims);

/// The sum, or with `maximum` the maximum, along dimension `dim`.
mlir::Value reduce(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t dim, bool maximum = false);

/// A tensor of `type` with equal elements.
mlir::Value splat(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type, double value);

/// An integer tensor of `type` whose elements are a size.
mlir::Value splatSize(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type, const Dim &size);

/// The i1 tensor of the elements that differ from zero.
mlir::Value isNotZero(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_TENSORS_H
