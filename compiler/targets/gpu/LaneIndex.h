//===- LaneIndex.h - indices counted in vectors -----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_LANEINDEX_H
#define HEDDLE_TARGETS_GPU_LANEINDEX_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace heddle {

/// An index of elements as one of vectors of four, and which element of it.
class LaneIndex {
public:
  static constexpr int64_t lanes = 4;

  explicit LaneIndex(mlir::Value index);

  /// The element; nothing where it is not known before the program runs.
  std::optional<int64_t> lane() const;
  /// The number of the vector; the lane must be known.
  mlir::Value emitVector(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::AffineMap map; // of the index without its constant
  llvm::SmallVector<mlir::Value> operands;
  int64_t constant = 0;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_LANEINDEX_H
