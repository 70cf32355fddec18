//===- IndexRange.h - ranges of run-time indices ----------------*- C++ -*-===//
//
// A lookup must not read outside its table. If an index comes directly from an input, the input gets its valid range as
// `heddle.range`, which the runtime checks. A computed index must be provably inside, or heddle.checked_index makes it
// so.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_MODULE_INDEXRANGE_H
#define HEDDLE_IMPORT_MODULE_INDEXRANGE_H

#include "sizes/Dim.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace heddle {

struct Interval {
  int64_t low, high; // inclusive; minimum and maximum over all sizes
};

class IndexRanges {
public:
  /// Records the range of a value that does not follow from its operation.
  void set(mlir::Value value, Interval interval) { known[value] = interval; }
  void set(mlir::Value value, const Dim &low, const Dim &high) { set(value, Interval{low.low(), high.high()}); }

  /// The range of the elements of an integer or bool tensor.
  std::optional<Interval> of(mlir::Value value);

  /// The input that has the elements of `value`, which are only moved or widened, or narrowed to a type that contains
  /// all of `within`.
  static mlir::BlockArgument inputBehind(mlir::Value value, std::optional<Interval> within = std::nullopt);

  /// Narrows the valid range of the input behind `value` to `low` to `high`. Returns nothing if `value` is computed.
  std::optional<Interval> narrow(mlir::Value value, const Dim &low, const Dim &high);

  /// Bounds `value`, an index into `extent` elements; negative indices count from the end. Narrows the range of the
  /// input behind it, or computes its range. Returns nothing if the index is unbounded.
  std::optional<Interval> boundIndex(mlir::Value value, const Dim &extent);

private:
  std::optional<Interval> compute(mlir::Value value);

  static constexpr int maxDepth = 100; // the maximum number of operations on the way to an input

  llvm::DenseMap<mlir::Value, Interval> known;
  llvm::DenseMap<mlir::Value, std::optional<Interval>> computed;
  int depth = 0;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_MODULE_INDEXRANGE_H
