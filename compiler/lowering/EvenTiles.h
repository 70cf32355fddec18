//===- EvenTiles.h - tiles of a number of rows that only the call knows -*- C++ -*-===//

#ifndef HEDDLE_LOWERING_EVENTILES_H
#define HEDDLE_LOWERING_EVENTILES_H

#include "mlir/IR/Builders.h"

#include <set>

namespace heddle {

/// How rows are cut, of which there are from `least` to `most`: in as few tiles of at most `step` rows as hold them,
/// whose heights differ by at most one row, higher ones first: a weight comes from memory during the first, and what
/// there is to compute beside that does not wait for it later. Where there are `sharedFrom` rows or more, each so many
/// tiles in a row share some other work: `sharers`, or as many as there are.
struct EvenTiles {
  int64_t least, most, step, sharedFrom, sharers;

  /// A tile as code is made for it.
  struct Kind {
    int64_t rows;
    int64_t sharers; // how many tiles share the work of which this one has a part, by its number; 0: it has none
    /// In the order of the tiles.
    bool operator<(const Kind &other) const {
      return std::pair(-sharers, -rows) < std::pair(-other.sharers, -other.rows);
    }
  };
  /// Those of all numbers of rows.
  std::set<Kind> kinds() const;
};

/// Runs `body` on the tiles of `rows`, one after the other in `target`: `number` is the tile's, which begins at row `at`.
using EvenTileBody = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value number, mlir::Value at,
                                                    const EvenTiles::Kind &kind, mlir::Value target)>;
mlir::Value emitEvenTiles(mlir::OpBuilder &b, mlir::Location loc, const EvenTiles &tiles, mlir::Value rows,
                          mlir::Value target, EvenTileBody body);

} // namespace heddle

#endif // HEDDLE_LOWERING_EVENTILES_H
