//===- IndexRange.h - what run-time indices can be --------------*- C++ -*-===//
//
// A lookup must not read outside its table. An index that comes straight from an
// input gets its legal range as `heddle.range` on that input, which the runtime
// checks; a computed one is provably inside, or heddle.checked_index makes it so.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_INDEXRANGE_H
#define HEDDLE_IMPORT_ONNX_INDEXRANGE_H

#include "sizes/Dim.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace heddle::onnx {

struct Interval {
  int64_t low, high; // inclusive; of sizes in ranges the least and the largest of all
};

class IndexRanges {
public:
  /// Records what is known of a value whose operation does not show it.
  void set(mlir::Value value, Interval interval) { known[value] = interval; }
  void set(mlir::Value value, const Dim &low, const Dim &high) { set(value, Interval{low.low(), high.high()}); }

  /// Bounds on the elements of an integer or bool tensor.
  std::optional<Interval> of(mlir::Value value);

  /// The input whose elements `value` holds, only moved or widened; or narrowed to a type that holds all of `within`.
  static mlir::BlockArgument inputBehind(mlir::Value value, std::optional<Interval> within = std::nullopt);

  /// Narrows the legal range of the input behind `value` to what lies between `low` and `high`; none where it is computed.
  std::optional<Interval> narrow(mlir::Value value, const Dim &low, const Dim &high);

  /// Bounds `value`, which indexes `extent` things, negative indices counting from
  /// the end: narrows the range of the input behind it, or computes it. None if
  /// the index is unbounded.
  std::optional<Interval> boundIndex(mlir::Value value, const Dim &extent);

private:
  std::optional<Interval> compute(mlir::Value value);

  static constexpr int maxDepth = 100; // of operations looked through

  llvm::DenseMap<mlir::Value, Interval> known;
  llvm::DenseMap<mlir::Value, std::optional<Interval>> computed;
  int depth = 0;
};

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_INDEXRANGE_H
