//===- WeightPrefetch.h - prefetches of weight panels ---------------------===//

#ifndef HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H
#define HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// When panels are prefetched, and into which cache.
struct PrefetchPace {
  int64_t distance = 0; // the prefetch distance in panels; 0: no prefetch
  int64_t rows = 1;  // the minimum number of rows that use a panel; if fewer rows use it, nothing is prefetched
  int64_t cache = 1; // the level of the cache to prefetch into: 1, 2 or 3
};

/// Prefetches the panels of a packed weight while row tiles use earlier panels. The cache lines of a panel are divided
/// among the tiles of a task, so that each line is prefetched once, at an even pace.
class WeightPrefetch {
public:
  /// `columns` is the number of columns that a tile uses at a time: one panel, or all interleaved panels. `parts` is
  /// the number of parts into which each panel is cut along K; each part counts as a panel (ContractionParts.h).
  /// Nothing is prefetched if the distance is 0, if the weight is not packed or has only one panel, or if the size of a
  /// panel is not a multiple of a cache line.
  WeightPrefetch(mlir::OpBuilder &b, mlir::Location loc, mlir::Value weight, int64_t columns, int64_t parts,
                 PrefetchPace pace);

  /// Returns whether there is anything to prefetch.
  bool prefetches() const { return bool(stream); }
  /// Returns whether prefetching pays off if a panel is used by this number of rows.
  bool isFor(int64_t rows) const { return prefetches() && rows >= pace.rows; }

  /// Returns a x weights + start for the tile at row `row` of `rows` rows, which are cut into tiles of `step` rows.
  /// `weights` is panel `number` in memory (or group of interleaved panels), as [K, columns] or [panels, K, columns of
  /// a panel]. The tile prefetches its share of the lines of the panel that follows at the prefetch distance; if `rows`
  /// is 0, the tile prefetches nothing.
  mlir::Value multiply(mlir::OpBuilder &b, mlir::Value a, mlir::Value weights, mlir::Value start,
                       mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step, int64_t rows) const;

  /// A run of adjacent cache lines: line s div `spacing` is prefetched in iteration s of the loop over K. `lines` is a
  /// tensor with one element of each line.
  struct Run {
    mlir::Value lines;
    int64_t spacing;
  };
  /// Returns the lines that a tile prefetches. The parameters are as for multiply().
  llvm::SmallVector<Run> runs(mlir::OpBuilder &b, mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step,
                              int64_t rows) const;
  /// Returns the cache to prefetch into, as in memref.prefetch: 3 is the first cache, 2 the second, 1 the third.
  int64_t locality() const { return 4 - pace.cache; }

private:
  mlir::Location loc;
  PrefetchPace pace;
  mlir::Value stream; // the weight's elements as one dimension; null: nothing to prefetch
  int64_t interleaved = 1;                                // the number of panels that a tile uses at a time
  int64_t panels = 0, k = 0;           // panels (or groups of interleaved panels) in memory, and rows of a panel
  int64_t lines = 0, lineElements = 0; // cache lines of a panel or group, and elements of a cache line
};

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H
