//===- EvenTiles.h - nearly equal tiles of a run-time row count -----------===//

#ifndef HEDDLE_LOWERING_EVENTILES_H
#define HEDDLE_LOWERING_EVENTILES_H

#include "mlir/IR/Builders.h"

#include <set>

namespace heddle {

/// How a number of rows that only the call knows, between `minimum` and `maximum`, is cut into tiles: into as few tiles
/// of at most `step` rows as possible, whose heights differ by at most one row, higher ones first. (A weight comes from
/// memory during the first tile; a higher tile has more to compute meanwhile.) From `sharedFrom` rows on, the first
/// `sharers` tiles (or all, if there are fewer) each take a share of some extra work, such as prefetches.
struct EvenTiles {
  int64_t minimum, maximum, step, sharedFrom, sharers;

  /// One variant of the tile's code.
  struct Kind {
    int64_t rows;
    int64_t sharers; // how many tiles share the extra work, of which this tile takes a part by its number; 0: none
    /// The order of the tiles in a call.
    bool operator<(const Kind &other) const {
      return std::pair(-sharers, -rows) < std::pair(-other.sharers, -other.rows);
    }
  };
  /// Returns the variants that occur for any number of rows.
  std::set<Kind> kinds() const;
};

/// Runs `body` on the tiles of `rows`, one after the other, in `target`. `number` counts the tiles, and `at` is the
/// first row of the tile.
using EvenTileBody = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value number, mlir::Value at,
                                                    const EvenTiles::Kind &kind, mlir::Value target)>;
mlir::Value emitEvenTiles(mlir::OpBuilder &b, mlir::Location loc, const EvenTiles &tiles, mlir::Value rows,
                          mlir::Value target, EvenTileBody body);

} // namespace heddle

#endif // HEDDLE_LOWERING_EVENTILES_H
