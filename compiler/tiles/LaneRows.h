//===- LaneRows.h - sums and maxima along the rows of tiles -----*- C++ -*-===//

#ifndef HEDDLE_TILES_LANEROWS_H
#define HEDDLE_TILES_LANEROWS_H

#include "FragmentLayout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Emits the condition that lane `lane` of a warp is the first of the lanes that share a row, whose indices differ only
/// in `bits` (FragmentLayout::findSharingBits).
mlir::Value emitIsFirst(mlir::ImplicitLocOpBuilder &b, mlir::Value lane, llvm::ArrayRef<int64_t> bits);

/// The reductions of one linalg.generic along the rows of a tile in registers. First, each lane combines its own
/// elements of a row. Then the results of the lanes of a warp that share the row are combined, and finally the results
/// of the warps that share the row.
class RowReductions {
public:
  /// Returns the reductions that compute the op's outputs with the numbers `outputs`. Emits an error and fails if there
  /// is no code for one of them.
  static mlir::FailureOr<RowReductions> of(mlir::linalg::GenericOp op, llvm::ArrayRef<unsigned> outputs,
                                           const FragmentLayout &tile);

  /// Emits the initial partial results of a lane, several for each reduction.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> emitStart(mlir::ImplicitLocOpBuilder &b) const;
  /// Emits the combination of a lane's partial results of reduction `number`.
  mlir::Value emitLaneResult(mlir::ImplicitLocOpBuilder &b, size_t number, llvm::ArrayRef<mlir::Value> parts) const;
  /// Emits, by shuffles, the result of reduction `number` in a warp for a row: the combination of the results of the
  /// lanes that share the row. All lanes of the warp must execute this code. Each lane gets the result for the row of
  /// its own `ofLane`.
  mlir::Value emitWarpResult(mlir::ImplicitLocOpBuilder &b, size_t number, mlir::Value ofLane) const;
  /// Emits the combination of two results of reduction `number`.
  mlir::Value combine(mlir::ImplicitLocOpBuilder &b, size_t number, mlir::Value left, mlir::Value right) const;
  /// The number of lanes of a warp that share a row.
  int64_t countLanes() const { return int64_t(1) << bits.size(); }
  /// Emits the index of lane `lane` of a warp among the lanes that share its row.
  mlir::Value emitNumber(mlir::ImplicitLocOpBuilder &b, mlir::Value lane) const;
  /// Emits the condition that lane `lane` of a warp is the first of the lanes that share a row.
  mlir::Value emitIsFirst(mlir::ImplicitLocOpBuilder &b, mlir::Value lane) const {
    return heddle::emitIsFirst(b, lane, bits);
  }
  size_t size() const { return reductions.size(); }

private:
  /// The operation that combines two elements, and its neutral element.
  struct Reduction {
    mlir::Operation *combiner;
    mlir::TypedAttr neutral;
  };
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<int64_t> bits; // lanes share rows if their indices differ only in these bits
  int64_t parts = 1;               // the number of partial results of a lane
};

/// Returns whether the op adds the elements of its only input along the rows, after it has converted them to a wider
/// type.
bool addsWidened(mlir::linalg::GenericOp op);

} // namespace heddle

#endif // HEDDLE_TILES_LANEROWS_H
