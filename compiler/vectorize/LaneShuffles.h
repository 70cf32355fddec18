//===- LaneShuffles.h - lanes of several vectors in another order *- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_LANESHUFFLES_H
#define HEDDLE_VECTORIZE_LANESHUFFLES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

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

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LANESHUFFLES_H
