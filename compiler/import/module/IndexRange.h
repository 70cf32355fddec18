//===- IndexRange.h - ranges of run-time indices ----------------*- C++ -*-===//
//
// A lookup must not read outside its table. If an index is copied from an input, the importer annotates the input with
// its valid range (`heddle.range`), which each call of the library checks. If an index is computed, the importer
// derives its range. If this range may exceed the table, the importer of ONNX files inserts a heddle.checked_index,
// which makes a call with an invalid index fail, and the importer of .mlir files clamps the index.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_MODULE_INDEXRANGE_H
#define HEDDLE_IMPORT_MODULE_INDEXRANGE_H

#include "sizes/Dim.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace heddle {

/// The range of an integer.
struct Interval {
  int64_t low, high; // the minimum and the maximum over all sizes, both inclusive
};

/// Derives the ranges of integer tensors in a function, and narrows the ranges of its inputs.
class IndexRanges {
public:
  /// Sets the range that `of` returns for `value`. Importers set ranges that `of` cannot derive from
  /// operations.
  void set(mlir::Value value, Interval interval) { known[value] = interval; }
  void set(mlir::Value value, const Dim &low, const Dim &high) { set(value, Interval{low.low(), high.high()}); }

  /// The range of the elements of an integer or bool tensor. Returns nothing if no range is known.
  std::optional<Interval> of(mlir::Value value);

  /// The input from which the elements of `value` are copied, possibly with another shape or a wider type. With
  /// `within`, the elements may also be truncated to a type that can represent all values of this interval. Returns
  /// null if `value` is computed in any other way.
  static mlir::BlockArgument inputBehind(mlir::Value value, std::optional<Interval> within = std::nullopt);

  /// If `value` is copied from an input (`inputBehind`), limits the valid range of this input to `low` to `high`, both
  /// inclusive, and returns the new range. Otherwise returns nothing.
  std::optional<Interval> narrow(mlir::Value value, const Dim &low, const Dim &high);

  /// Returns the range of `value`, an index into `extent` elements; negative indices count from the end. If `value` is
  /// copied from an input, first limits the valid range of the input to -`extent` to `extent` - 1. Returns nothing if
  /// no range is known.
  std::optional<Interval> boundIndex(mlir::Value value, const Dim &extent);

private:
  /// Derives the range of `value` from the operation that computes it; nothing if the range is unknown.
  std::optional<Interval> compute(mlir::Value value);

  static constexpr int maxDepth = 100; // the maximum depth of the recursion through operands

  llvm::DenseMap<mlir::Value, Interval> known;                   // ranges that `set` has set
  llvm::DenseMap<mlir::Value, std::optional<Interval>> computed; // earlier results of `compute`
  int depth = 0;                                                 // the current depth of the recursion
};

} // namespace heddle

#endif // HEDDLE_IMPORT_MODULE_INDEXRANGE_H
