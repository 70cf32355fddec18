//===- LaneShuffles.h - lanes of several vectors in another order *- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_LANESHUFFLES_H
#define HEDDLE_VECTORIZE_LANESHUFFLES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace heddle {

/// Where an element is: the number of a vector, and the lane in it.
struct LanePlace {
  int64_t source, lane;
};

/// The elements at `wanted`, in vectors of as many lanes as those of `sources` have (all the same); what is left over
/// in the last one is undefined. Sources of which few lanes are wanted share a vector first: then a result takes one
/// shuffle for every two of these it is made of, and one for each further.
llvm::SmallVector<mlir::Value> gatherLanes(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> sources,
                                           llvm::ArrayRef<LanePlace> wanted);

/// A square of vectors transposed, its side a power of two from 4 on: units of 4 x 4 first, within
/// 128 bits, where shuffles are cheap and take two registers; then the units change places. (vector.transpose
/// would be canonicalised into single elements.)
llvm::SmallVector<mlir::Value> turnedSquare(mlir::ImplicitLocOpBuilder &b, llvm::SmallVector<mlir::Value> rows);

/// The lanes of each part, at most as many parts as they have lanes, combined into one: lane i is that of part i.
mlir::Value foldLanes(mlir::ImplicitLocOpBuilder &b, llvm::SmallVector<mlir::Value> parts,
                      llvm::function_ref<mlir::Value(mlir::Value low, mlir::Value high)> combine);

/// The same of parts that come one after the other: each two are combined as soon as they are there, so that few wait.
class LaneFolder {
public:
  using Combine = std::function<mlir::Value(mlir::Value low, mlir::Value high)>;
  LaneFolder(mlir::ImplicitLocOpBuilder &b, Combine combine) : b(&b), combine(std::move(combine)) {}
  void add(mlir::Value part) { add(part, /*round=*/0); }
  /// Of the parts so far, one at least.
  mlir::Value finish();

private:
  void add(mlir::Value part, size_t round);

  mlir::ImplicitLocOpBuilder *b;
  Combine combine;
  llvm::SmallVector<mlir::Value> waiting; // for the second of a pair, by the rounds behind it; null: none
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LANESHUFFLES_H
