//===- LaneIndex.h - indices in units of vectors ----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_LANEINDEX_H
#define HEDDLE_TARGETS_GPU_LANEINDEX_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace heddle {

/// The index of an element in the last dimension of a buffer that becomes a buffer of vectors of `lanes` elements. The
/// class computes the index of the vector that contains the element, and the lane of the element in this vector.
class LaneIndex {
public:
  LaneIndex(mlir::Value index, int64_t lanes);

  /// Returns the lane, or nullopt if it is not known at compile time or the constant term of the index is negative.
  std::optional<int64_t> lane() const;
  /// Emits the index of the vector. The lane must be known.
  mlir::Value emitVector(mlir::ImplicitLocOpBuilder &b) const;

private:
  int64_t lanes;
  mlir::AffineMap map; // computes the index, without its constant term, from `operands`
  llvm::SmallVector<mlir::Value> operands;
  int64_t constant = 0; // the constant term
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_LANEINDEX_H
