//===- EvenTiles.h - nearly equal tiles of a run-time row count -----------===//

#ifndef HEDDLE_LOWERING_EVENTILES_H
#define HEDDLE_LOWERING_EVENTILES_H

#include "mlir/IR/Builders.h"

#include <set>

namespace heddle {

/// A partition of the rows of a linear layer into tiles, for a number of rows that is known only at run time and lies
/// between `minimum` and `maximum`. There are as few tiles of at most `step` rows as possible. The numbers of rows of
/// two tiles differ by at most one, and the larger tiles come first: the layer's weight is loaded from memory during
/// the first tile, so the first tile should have more to compute. If there are at least `sharedFrom` rows, the first
/// `sharers` tiles (or all tiles, if there are fewer) each do a share of some extra work, such as prefetches.
struct EvenTiles {
  int64_t minimum, maximum, step, sharedFrom, sharers;

  /// A variant of the code of a tile.
  struct Kind {
    int64_t rows;    // the number of rows of the tile
    int64_t sharers; // the number of tiles that share the extra work in the call; 0: no tile does extra work
    /// Orders variants in the order in which their tiles run in a call of the model.
    bool operator<(const Kind &other) const {
      return std::pair(-sharers, -rows) < std::pair(-other.sharers, -other.rows);
    }
  };
  /// Returns the variants that occur for at least one number of rows from `minimum` to `maximum`.
  std::set<Kind> kinds() const;
};

/// Emits the code of a tile, and returns `target` after the tile has been written to it. `number` is the index of the
/// tile, `at` is its first row, `kind` is the variant of its code, and `target` is the tensor that all tiles write to.
using EvenTileBody = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value number, mlir::Value at,
                                                    const EvenTiles::Kind &kind, mlir::Value target)>;
/// Emits code that runs `body` on the tiles of `rows`, one after the other, and returns the final `target`.
mlir::Value emitEvenTiles(mlir::OpBuilder &b, mlir::Location loc, const EvenTiles &tiles, mlir::Value rows,
                          mlir::Value target, EvenTileBody body);

} // namespace heddle

#endif // HEDDLE_LOWERING_EVENTILES_H
