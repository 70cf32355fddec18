//===- VectorBuilder.h - builds loops and vectors on tensors ----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_VECTORBUILDER_H
#define HEDDLE_VECTORIZE_VECTORBUILDER_H

#include "Extent.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Returns the trip count of each loop of an op on tensors. For a dynamic loop, emits code with `allowed` that reads
/// the count from an operand; without `allowed`, a dynamic loop is an error. Emits an error at the op and fails if the
/// op is not on tensors or a trip count cannot be determined.
mlir::FailureOr<llvm::SmallVector<Extent>> loopExtents(mlir::linalg::LinalgOp op, mlir::OpBuilder *allowed = nullptr);

/// Emits loops, and the reads, writes and operations of 1-D vectors in them. Indices are constants where possible.
class VectorBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Values = llvm::SmallVector<mlir::Value>;
  using Indices = llvm::ArrayRef<mlir::OpFoldResult>;

  /// Returns the index as a value; emits a constant if necessary.
  mlir::Value index(mlir::OpFoldResult value);
  /// Returns `index` plus `offset`, as a constant if `index` is a constant.
  mlir::OpFoldResult add(mlir::OpFoldResult index, int64_t offset);

  /// Returns a vector with the scalar `value` in every lane; if `value` is a vector, returns it unchanged.
  mlir::Value broadcast(mlir::Value value, int64_t width);
  /// Returns a mask of `width` lanes whose first `valid` lanes are true.
  mlir::Value mask(int64_t width, int64_t valid);
  /// Returns the first `width` lanes of a vector. If the vector has fewer lanes, the remaining lanes are undefined.
  mlir::Value resized(mlir::Value vector, int64_t width);

  /// Reads one element as a scalar.
  mlir::Value element(mlir::Value tensor, Indices at);
  /// Reads `width` elements from `at` on along the last dimension. Only the first `valid` lanes read memory; the others
  /// are 0 for floats and 1 for integers, so that an integer division by them is safe.
  mlir::Value read(mlir::Value tensor, Indices at, int64_t width, int64_t valid);
  /// Writes the first `valid` lanes from `at` on along the last dimension, and returns the new tensor.
  mlir::Value write(mlir::Value vector, mlir::Value tensor, Indices at, int64_t valid);

  /// Returns the tensor's buffer as a memref, for prefetch(). Each call emits an operation, so call it once for all
  /// prefetches from the tensor.
  mlir::Value memory(mlir::Value tensor);
  /// Prefetches the cache line of an element of `memory`. `locality` selects the cache as in memref.prefetch. The
  /// indices may be out of bounds.
  void prefetch(mlir::Value memory, Indices at, int64_t locality);

  /// Emits the loop over `extent` from `begin` on, in steps of `step`. `body` receives the index, the number of
  /// iterations that it must handle, and the loop-carried values, and returns their next values. A fixed extent gives a
  /// loop of whole steps (no loop if there is only one), and then the remainder as one smaller step. If the extent is
  /// known only at run time, the remainder runs in steps of 4, and then of 1; `begin` must be 0.
  Values loop(const Extent &extent, int64_t step, Values carried,
              llvm::function_ref<Values(mlir::OpFoldResult at, int64_t count, Values carried)> body,
              int64_t begin = 0);
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_VECTORBUILDER_H
