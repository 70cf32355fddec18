//===- WeightPrefetch.h - the next panel of a weight, into the cache ------===//

#ifndef HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H
#define HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// How a panel is brought into the cache while one before it is used.
struct PrefetchPace {
  int64_t ahead = 0; // fetch the panel this many further on; 0: fetch nothing
  int64_t rows = 1;  // fetch nothing if fewer rows than these use a panel
  int64_t cache = 1; // into this cache: 1 is the first-level one
};

/// A packed weight as row tiles go along it, `columns` at a time: those of a panel, or of all that lie abreast. The
/// tiles of a task share out the lines of what comes, so that these come at an even pace and once.
class WeightPrefetch {
public:
  /// `parts`: each panel is cut along K into this many, and each counts as a panel (ContractionParts.h). Does nothing
  /// if the pace says so, there is only one panel, or a panel is not whole cache lines.
  WeightPrefetch(mlir::OpBuilder &b, mlir::Location loc, mlir::Value weight, int64_t columns, int64_t parts,
                 PrefetchPace pace);

  /// Whether it may do something.
  bool brings() const { return bool(stream); }
  /// Whether that pays for so many rows.
  bool isFor(int64_t rows) const { return brings() && rows >= pace.rows; }

  /// a x weights + start of the tile at `row` (of `rows` in steps of `step`) in panel `number` in memory, or along
  /// those abreast, which brings its share of lines, of 0 rows none. The weights are [K, columns], or in panels.
  mlir::Value multiply(mlir::OpBuilder &b, mlir::Value a, mlir::Value weights, mlir::Value start,
                       mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step, int64_t rows) const;

  /// What else a product reads, whose loops are (.., k, ..), so that the tile brings its share: k is loop `loop` of
  /// `loops`. The product is then to be marked by `mark`.
  void appendTo(mlir::OpBuilder &b, mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step, int64_t rows,
                unsigned loop, unsigned loops, llvm::SmallVectorImpl<mlir::Value> &inputs,
                llvm::SmallVectorImpl<mlir::AffineMap> &maps) const;
  void mark(mlir::Operation *product) const;

private:
  struct Run { // of cache lines, one every `spacing` steps
    mlir::Value lines;
    int64_t spacing;
  };
  llvm::SmallVector<Run> runs(mlir::OpBuilder &b, mlir::OpFoldResult number, mlir::OpFoldResult row, int64_t step,
                              int64_t rows) const;

  mlir::Location loc;
  PrefetchPace pace;
  mlir::Value stream; // the weight's elements in one dimension; null: nothing to bring
  int64_t abreast = 1; // panels that are used at a time
  int64_t panels = 0, k = 0, lines = 0, lineElements = 0; // lines of a panel, or of those abreast
};

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_WEIGHTPREFETCH_H
