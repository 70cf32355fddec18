//===- LaneShuffles.h - transposes, gathers and folds of lanes ------------===//

#ifndef HEDDLE_VECTORIZE_LANESHUFFLES_H
#define HEDDLE_VECTORIZE_LANESHUFFLES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace heddle {

/// The position of an element: the index of a vector, and the lane in it.
struct LanePlace {
  int64_t source, lane;
};

/// Gathers the elements at `wanted` into vectors with as many lanes as each of `sources`, which must all have the same
/// type; the unused lanes of the last vector are undefined. Sources of which only a few lanes are wanted are first
/// packed into shared vectors. A result whose lanes come from n packed vectors then needs n shuffles.
llvm::SmallVector<mlir::Value> gatherLanes(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> sources,
                                           llvm::ArrayRef<LanePlace> wanted);

/// Transposes a square tile of n vectors with n lanes each, where n is a power of two and at least 4. First transposes
/// units of 4 x 4 elements, within 128 bits, where shuffles of two vectors are cheap; then exchanges the units.
/// (vector.transpose is not used, since it would be canonicalised into moves of single elements.)
llvm::SmallVector<mlir::Value> transposeSquare(mlir::ImplicitLocOpBuilder &b, llvm::SmallVector<mlir::Value> rows);

/// Reduces each vector in `parts` with `combine`. Lane i of the result is the reduction of all lanes of part i. There
/// must not be more parts than a vector has lanes.
mlir::Value foldLanes(mlir::ImplicitLocOpBuilder &b, llvm::SmallVector<mlir::Value> parts,
                      llvm::function_ref<mlir::Value(mlir::Value low, mlir::Value high)> combine);

/// Folds like foldLanes(), but the caller adds the parts one by one. Two parts are combined as soon as both have been
/// added, so that few vectors are live at a time.
class LaneFolder {
public:
  using Combine = std::function<mlir::Value(mlir::Value low, mlir::Value high)>;
  LaneFolder(mlir::ImplicitLocOpBuilder &b, Combine combine) : b(&b), combine(std::move(combine)) {}
  /// Adds the next part.
  void add(mlir::Value part) { add(part, /*round=*/0); }
  /// Returns the parts added so far, of which there must be at least one, folded as foldLanes() does.
  mlir::Value finish();

private:
  /// Adds a vector that has been folded `round` times.
  void add(mlir::Value part, size_t round);

  mlir::ImplicitLocOpBuilder *b;
  Combine combine;
  llvm::SmallVector<mlir::Value> waiting; // [r]: a part after r rounds of folding that has no partner yet, or null
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LANESHUFFLES_H
