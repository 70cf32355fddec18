//===- KnownSizes.h - scalars that a function computes of sizes -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_KNOWNSIZES_H
#define HEDDLE_IMPORT_MLIR_KNOWNSIZES_H

#include "sizes/Dim.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// What integers of a function come to, where tensor.dim and arith make them of extents and of constants. Operations
/// are looked at in order. Those that come to a number are folded; those that have a size are left for each call to
/// compute, but for tensor.dim, in whose place the call computes the extent.
class KnownSizes {
public:
  explicit KnownSizes(mlir::func::FuncOp main) : main(main) {}

  /// Looks at an operation. True where it was folded, and is gone.
  bool visit(mlir::Operation *op);
  /// What a scalar, or a static number of an operation, is; none where that is not known.
  std::optional<Dim> of(mlir::Value value) const;
  std::optional<Dim> of(mlir::OpFoldResult value) const;
  /// Erases what computes sizes that nobody reads.
  void eraseUnused();

private:
  bool foldDim(mlir::Operation *op);

  mlir::func::FuncOp main;
  llvm::DenseMap<mlir::Value, Dim> known; // those that have a size
};

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_KNOWNSIZES_H
