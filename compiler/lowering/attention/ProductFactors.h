//===- ProductFactors.h - factors of attention, possibly rounded *- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_PRODUCTFACTORS_H
#define HEDDLE_COMPILER_LOWERING_PRODUCTFACTORS_H

#include "TileBuilder.h"

#include "Heddle.h"

#include <array>

namespace heddle {

/// The factors of the two products of attention: unchanged; rounded and stored as floats; or rounded to bf16, with two
/// of them in a word. Tiles have two dimensions.
class ProductFactors {
public:
  /// With `inPairs`, factors that `op` rounds to bf16 are stored in pairs, which one instruction multiplies. Extents of
  /// tiles that are known only at run time are at most `maximum`.
  ProductFactors(AttentionOp op, bool inPairs, int64_t maximum);

  /// Emits a tile of numbers as a factor. `along` is the contracted dimension.
  mlir::Value emit(TileBuilder &b, mlir::Value tile, unsigned along) const;
  /// Emits a tile of weights, which are already rounded, as a factor. `along` is the contracted dimension.
  mlir::Value emitOfWeights(TileBuilder &b, mlir::Value weights, unsigned along) const;
  /// Emits sum + x y. `x` and `y` are elements of factors, or of stored rows (StoredRows.h).
  mlir::Value emitSum(TileBuilder &b, mlir::Value x, mlir::Value y, mlir::Value sum) const;

private:
  using Extents = std::array<Extent, 2>;
  mlir::Value emitEmpty(TileBuilder &b, const Extents &extents, mlir::Type type) const;
  mlir::Value emitRounded(TileBuilder &b, mlir::Value tile) const;
  mlir::Value emitPairs(TileBuilder &b, mlir::Value tile, unsigned along) const;

  mutable AttentionOp op; // the accessors of operations are not const
  bool inPairs;
  int64_t maximum;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_PRODUCTFACTORS_H
