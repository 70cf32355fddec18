//===- LaneIndex.h - indices in units of vectors ----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_LANEINDEX_H
#define HEDDLE_TARGETS_GPU_LANEINDEX_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace heddle {

/// Splits an index of elements into the number of a vector of four elements and the lane within this vector.
class LaneIndex {
public:
  static constexpr int64_t lanes = 4;

  explicit LaneIndex(mlir::Value index);

  /// Returns the lane, or nothing if it is not known at compile time.
  std::optional<int64_t> lane() const;
  /// Emits the number of the vector. The lane must be known.
  mlir::Value emitVector(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::AffineMap map; // computes the index, without its constant term, from `operands`
  llvm::SmallVector<mlir::Value> operands;
  int64_t constant = 0; // the constant term
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_LANEINDEX_H
