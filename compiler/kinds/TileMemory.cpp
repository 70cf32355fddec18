//===- TileMemory.cpp - tiles in workgroup memory -------------------------===//

#include "TileMemory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

SmallVector<Value> heddle::emitTileIndices(ImplicitLocOpBuilder &b, MemRefType tile, int64_t rowsApart, Value row,
                                           Value column) {
  constexpr int64_t chunkBits = 128, lineChunks = 8; // the bits of a chunk, and chunks in a line across all 32 banks
  int64_t chunk = chunkBits / tile.getElementTypeBitWidth(); // the number of elements of a chunk
  int64_t columns = tile.getShape().back(), chunks = columns / chunk;
  // The number of chunks that are permuted together: a power of two that divides the number of chunks in a row. A chunk
  // of the next row is a multiple of this number behind the same chunk of this row.
  int64_t swapped = std::min<int64_t>(lineChunks, chunks & -chunks);
  if (rowsApart == 0 || columns % chunk != 0 || swapped < 2)
    return {row, column};
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, ValueRange operands) -> Value {
    return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(operands.size(), 0, expr),
                                           getAsOpFoldResult(operands));
  };
  int64_t apart = lineChunks / swapped; // the same chunk of this number of successive rows lies in different banks
  Value by = apply(d0.floorDiv(std::max(rowsApart, apart)) % swapped, row);
  Value number = arith::XOrIOp::create(b, apply(d0.floorDiv(chunk), column), by);
  return {row, apply(d0 * chunk + d1 % chunk, {number, column})};
}
