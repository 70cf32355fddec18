//===- RoundedOperands.h - operands of int8 and bf16 products -------------===//

#ifndef HEDDLE_LOWERING_PANELS_ROUNDEDOPERANDS_H
#define HEDDLE_LOWERING_PANELS_ROUNDEDOPERANDS_H

#include "GroupPrefetch.h"

#include "Extent.h"
#include "Heddle.h"

namespace heddle {

/// The operands of a layer whose rows are rounded and whose weight is stored in a narrow type. Letters in shapes: M is
/// the number of rows, K is the number of columns of the input, and K' is K rounded up to a multiple of the depth of
/// `kind` (the number of products that one dot product adds to a sum). N is the number of columns of the result. B is
/// the number of blocks along K (1 if each row has one activation scale). E is the number of outlier channels, which
/// are not rounded. P is the number of panels, or of groups of I interleaved panels.
struct RoundedOperands {
  mlir::Value rows;  // rounded rows [M, K'] i8 or bf16, or i16: integers minus their zero point
  ProductKind kind;  // the arithmetic with which rows and weight are multiplied
  int64_t block = 0;  // the number of columns of a block; 0: the row is one block
  // The number of columns of the input that share a weight scale, which divides `block`; 0: all columns share it. G is
  // the number of these groups along K.
  int64_t group = 0;
  // The weight in panels of `panel` columns: [P, K' / depth / S, panel x depth], or interleaved [I, P, ..]. `depth` is
  // the depth of `kind`, and S is the number of steps of `kind` that share an element of the weight.
  mlir::Value weight;
  mlir::Value rowScales; // activation scales, f32 [M] or [M, B]; null: rows are floats
  mlir::Value zeros;  // zero points, integers as f32 [M] or [M, B]; null: `zero` is the zero point of all rows
  int64_t zero = 0;   // the common zero point, if `zeros` is null
  // weight scales, f32 [N]; for blocks [P, G, panel], or [G, N] if panels are interleaved, f32 or f16
  mlir::Value weightScales;
  mlir::Value minima; // minima of the weight's groups, shaped as `weightScales`, f32 or f16; null: none
  // sums of a row's groups, without zero points, integers as f32 [M, G]; only if there are `minima`
  mlir::Value rowTotals;
  // sums of the weight's columns, of the type of `weightScales`, whose elements are integers; null if no zero points
  // remain to be subtracted
  mlir::Value sums;
  mlir::Value rowSums;     // sums of a row's blocks, i32 [M, B]; only if 128 is added to the weight to make it unsigned
  mlir::Value outlierRows; // outlier channels of the input, f32 [M, E], not rounded; null: none
  mlir::Value outlierWeight; // rows of the weight for the outlier channels, f32 [E, N]
};

/// Returns the unit of the products of `operands`, or one element if there are no rounded operands.
inline ProductUnit unitOf(const std::optional<RoundedOperands> &operands) {
  return operands ? operands->kind.getUnit() : ProductUnit();
}
/// Returns whether matrix instructions compute the products of `operands`: their unit has several rows.
inline bool usesMatrices(const std::optional<RoundedOperands> &operands) { return unitOf(operands).rows > 1; }

/// The position and size of a tile of the result.
struct ProductTile {
  mlir::OpFoldResult row, column;
  int64_t rows, columns;
  mlir::OpFoldResult panel = {}; // the index of the panel, if weight scales are packed into panels
  mlir::Value bias = {};         // [columns], added in the same step as the last multiplication by scales; null: none
};

/// Returns `rows` [M, K'] as the rows of a heddle.tile_product of `kind`, [M, K' / depth, depth].
mlir::Value emitProductRows(mlir::OpBuilder &b, mlir::Location loc, ProductKind kind, mlir::Value rows);

/// Returns operands with as many rows as the kind's unit, which may be more than the M rows of `operands`. The first
/// `count` rows are those of `operands`; the others are undefined. Copies only what products read: the rounded rows
/// and, if rows have blocks, all that belongs to a row's blocks.
RoundedOperands emitUnit(mlir::OpBuilder &b, mlir::Location loc, const RoundedOperands &operands, const Extent &count);

/// Returns the layer's products of a tile in f32, with scales applied and outlier channels added. `sums`, which has at
/// least as many rows and columns as the tile, contains integer sums if each row has one activation scale, and sums in
/// f32 if rows are floats. If each block has an activation scale, `sums` is the result of emitBlockSums.
mlir::Value emitProducts(mlir::OpBuilder &b, mlir::Location loc, const RoundedOperands &operands, mlir::Value sums,
                         const ProductTile &tile);

/// Returns the sums [rows, columns] in f32, bias included, of rows with an activation scale for each block. `rows`
/// contains the rounded rows of the tile, [rows, K'], and `weights` is a weight of heddle.tile_product. The products
/// prefetch parts of the whole weight as `prefetch` describes.
mlir::Value emitBlockSums(mlir::OpBuilder &b, mlir::Location loc, const RoundedOperands &operands, mlir::Value rows,
                          mlir::Value weights, const ProductTile &tile, const GroupPrefetch &prefetch);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_ROUNDEDOPERANDS_H
