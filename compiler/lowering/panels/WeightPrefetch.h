//===- WeightPrefetch.h - prefetches of weight panels ---------------------===//

#ifndef HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H
#define HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// When and where panels are prefetched.
struct PrefetchPace {
  int64_t distance = 0; // the prefetch distance in panels; 0: no prefetch
  int64_t rows = 1;  // no prefetch if fewer rows use a panel
  int64_t cache = 1; // the cache to prefetch into: 1 is the first-level cache
};

/// Prefetches the panels of a packed weight while row tiles use earlier ones. Tiles use `columns` columns at a time:
/// one panel, or all interleaved panels. The tiles of a task divide the cache lines among themselves, so that lines are
/// prefetched at an even pace and once each.
class WeightPrefetch {
public:
  /// `parts`: each panel is cut along K into this many parts, and each counts as a panel (ContractionParts.h). Does
  /// nothing if the pace says so, if there is only one panel, or if a panel is not a whole number of cache lines.
  WeightPrefetch(mlir::OpBuilder &b, mlir::Location loc, mlir::Value weight, int64_t columns, int64_t parts,
                 PrefetchPace pace);

  /// Returns whether there is anything to prefetch.
  bool prefetches() const { return bool(stream); }
  /// Returns whether prefetching pays off if a panel is used by this number of rows.
  bool isFor(int64_t rows) const { return prefetches() && rows >= pace.rows; }

  /// Returns a x weights + start for the tile at `row` (of `rows` rows, in steps of `step`). The tile prefetches its
  /// share of the lines that belong to panel `number` in memory (or group of interleaved panels); with `rows` 0 it
  /// prefetches nothing. The weights are [K, columns], or in panels.
  mlir::Value multiply(mlir::OpBuilder &b, mlir::Value a, mlir::Value weights, mlir::Value start,
                       mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step, int64_t rows) const;

  /// Adds operands to the inputs of a product with `loops` loops, of which loop `loop` is over k, so that its tile
  /// prefetches its share of lines. The product must then be annotated by `mark`.
  void appendTo(mlir::OpBuilder &b, mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step, int64_t rows,
                unsigned loop, unsigned loops, llvm::SmallVectorImpl<mlir::Value> &inputs,
                llvm::SmallVectorImpl<mlir::AffineMap> &maps) const;
  void mark(mlir::Operation *product) const;

private:
  struct Run { // a run of cache lines, one every `spacing` iterations
    mlir::Value lines;
    int64_t spacing;
  };
  llvm::SmallVector<Run> runs(mlir::OpBuilder &b, mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step,
                              int64_t rows) const;

  mlir::Location loc;
  PrefetchPace pace;
  mlir::Value stream; // the weight's elements as one dimension; null: nothing to prefetch
  int64_t interleaved = 1;                                // panels that are used at a time
  int64_t panels = 0, k = 0, lines = 0, lineElements = 0; // `lines`: of a panel, or of a group of interleaved panels
};

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H
