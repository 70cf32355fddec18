//===- StoredRows.h - keys and values stored as integers --------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_STOREDROWS_H
#define HEDDLE_COMPILER_LOWERING_STOREDROWS_H

#include "TileBuilder.h"

#include "Heddle.h"

namespace heddle {

/// Keys or values in their stored type, and the scale of each row; `scales` is null if rows have no scales.
struct StoredRows {
  mlir::Value numbers, scales;

  /// Returns the integers and scales of `rows`, if they are stored as integers with a scale for each row and nothing
  /// else; otherwise `rows` and null.
  static StoredRows of(mlir::Value rows);
  /// For rows in `layout`, returns those of one head of one batch entry, numbers [Skv][width] and scales [Skv]. `keys`
  /// is Skv.
  StoredRows emitHead(TileBuilder &b, Layout layout, mlir::Value batch, mlir::Value head, const Extent &keys,
                      int64_t width) const;
};

/// Emits an element of stored rows as a float of type `type`, without the scale.
mlir::Value emitNumber(TileBuilder &b, mlir::Value stored, mlir::Type type);

/// Emits the products of a tile of scores or weights (exponentials of scores), for `count` keys from `firstKey` on, and
/// the scales of their rows. `keyDim` is the dimension of the tile along keys. Returns the tile if `scales` is null.
mlir::Value emitTimesScales(TileBuilder &b, mlir::Value scales, mlir::Value firstKey, const Extent &count,
                            mlir::Value tile, unsigned keyDim);

/// Emits whether sums of products of queries and unscaled integers may overflow. `query` contains the queries, and
/// `size` is the number of elements of a query. The output need not be infinite or NaN in this case, since a score that
/// overflows to -inf looks like the score of a removed key.
mlir::Value emitMayOverflow(TileBuilder &b, mlir::Value query, int64_t size);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_STOREDROWS_H
