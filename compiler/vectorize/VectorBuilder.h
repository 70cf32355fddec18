//===- VectorBuilder.h - short forms for vectors on tensors -----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_VECTORBUILDER_H
#define HEDDLE_VECTORIZE_VECTORBUILDER_H

#include "Extent.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// How often the loops of an op on tensors run, those which only the call knows if these are `allowed`. Says at the op why
/// it has none that can be vectorised.
mlir::FailureOr<llvm::SmallVector<Extent>> loopExtents(mlir::linalg::LinalgOp op, mlir::OpBuilder *allowed = nullptr);

/// Writes loops, and what goes through 1-D vectors in them. An index is static where it is known.
class VectorBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Values = llvm::SmallVector<mlir::Value>;
  using Indices = llvm::ArrayRef<mlir::OpFoldResult>;

  mlir::Value index(mlir::OpFoldResult value);
  mlir::OpFoldResult add(mlir::OpFoldResult index, int64_t offset);

  /// The scalar in every lane; a vector stays as it is.
  mlir::Value broadcast(mlir::Value value, int64_t width);
  /// Of `width` lanes the first `valid` ones.
  mlir::Value mask(int64_t width, int64_t valid);
  /// The first lanes of a vector, or undefined ones behind them.
  mlir::Value resized(mlir::Value vector, int64_t width);

  mlir::Value element(mlir::Value tensor, Indices at);
  /// Elements along the last dimension. Lanes past `valid` read nothing: they hold 0, integers 1 (someone may divide by
  /// them).
  mlir::Value read(mlir::Value tensor, Indices at, int64_t width, int64_t valid);
  /// Lanes past `valid` write nothing.
  mlir::Value write(mlir::Value vector, mlir::Value tensor, Indices at, int64_t valid);

  /// The tensor's memory, made once for all prefetches from it.
  mlir::Value memory(mlir::Value tensor);
  /// Brings the cache line of an element of that memory into the cache (memref.prefetch's locality says which). There need
  /// be no such element.
  void prefetch(mlir::Value memory, Indices at, int64_t locality);

  /// Runs `body` at every step of the loop from `begin` (of a fixed extent) on: a loop of whole steps, none where it would
  /// have one, then the rest as a smaller step, or by fours and one by one where only the call knows how much is left.
  /// `body` is told where it is, how many iterations it is to take, and what the loop carries.
  Values loop(const Extent &extent, int64_t step, Values carried,
              llvm::function_ref<Values(mlir::OpFoldResult at, int64_t count, Values carried)> body,
              int64_t begin = 0);
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_VECTORBUILDER_H
