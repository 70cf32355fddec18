//===- KnownSizes.h - scalars computed from sizes ---------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_KNOWNSIZES_H
#define HEDDLE_IMPORT_MLIR_KNOWNSIZES_H

#include "sizes/Dim.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// The values of integer scalars that heddle.size, tensor.dim and arith operations compute from sizes, extents and
/// constants. Operations must be visited in program order. Operations whose result is a constant are folded. Operations
/// whose result depends on sizes remain, and the compiled code computes them in each call of the model; only tensor.dim
/// is replaced by the expression of its extent.
class KnownSizes {
public:
  explicit KnownSizes(mlir::func::FuncOp main) : main(main) {}

  /// Visits an operation. Returns true if it was folded and erased.
  bool visit(mlir::Operation *op);
  /// Returns the value of a scalar; nothing if the value is unknown. An OpFoldResult is a scalar or an integer
  /// attribute.
  std::optional<Dim> of(mlir::Value value) const;
  std::optional<Dim> of(mlir::OpFoldResult value) const;
  /// Erases computations of sizes whose results have no uses. Afterwards `of` no longer returns values that depend on
  /// sizes.
  void eraseUnused();

private:
  /// Replaces a tensor.dim whose extent depends on sizes. Returns whether `op` was replaced.
  bool foldDim(mlir::Operation *op);

  mlir::func::FuncOp main;
  llvm::DenseMap<mlir::Value, Dim> known; // the values of scalars that depend on sizes
};

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_KNOWNSIZES_H
