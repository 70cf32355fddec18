//===- RoundedProducts.cpp - tiles of int8 and bf16 products --------------===//

#include "RoundedOperands.h"
#include "RowOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// ofRows returns the part of `a` [M] that belongs to the rows of the tile, and ofColumns the part of `a` [N] that
/// belongs to the columns of the tile.
static RowInput ofRows(OpBuilder &b, Location loc, Value a, const ProductTile &tile) {
  return {emitSlice(b, loc, a, tile.row, tile.rows), RowAccess::Row};
}
static RowInput ofColumns(OpBuilder &b, Location loc, Value a, const ProductTile &tile) {
  return {emitSlice(b, loc, a, tile.column, tile.columns), RowAccess::Column};
}
/// Returns the first rows and columns of `sums`, as many as the tile has.
static RowInput leading(OpBuilder &b, Location loc, Value sums, const ProductTile &tile) {
  OpFoldResult zero = b.getIndexAttr(0);
  return {emitSlice(b, loc, sums, {zero, zero}, {tile.rows, tile.columns}), RowAccess::Tile};
}

/// Returns whether f32 represents every possible sum of products of bytes exactly.
static bool floatsHoldSums(const RoundedOperands &operands) {
  return cast<RankedTensorType>(operands.rows.getType()).getDimSize(1) * 255 * 128 <= int64_t(1) << 24;
}

/// Returns sum - zero x column in f32, where `column` is the sum of the weight's column. `floatsHold` is the result of
/// floatsHoldSums(): if it is true, one multiply-add in f32 computes the exact result; otherwise integers are used.
static Value emitWithoutZero(OpBuilder &b, Location loc, Value sum, Value zero, Value column, bool floatsHold) {
  auto f32 = b.getF32Type();
  if (floatsHold) {
    Value number = arith::SIToFPOp::create(b, loc, f32, sum);
    Value product = arith::MulFOp::create(b, loc, column, arith::NegFOp::create(b, loc, zero));
    return arith::AddFOp::create(b, loc, product, number);
  }
  auto integer = [&](Value x) -> Value { return arith::FPToSIOp::create(b, loc, b.getI32Type(), x); };
  Value product = arith::MulIOp::create(b, loc, integer(column), integer(zero));
  return arith::SIToFPOp::create(b, loc, f32, arith::SubIOp::create(b, loc, sum, product));
}

/// Returns number x weightScale x rowScale, where `rowScale` is the activation scale. The number is multiplied by the
/// weight scale first, because the product of both scales may overflow or underflow although the result does not:
/// activation scales may be as small or large as the elements of rows. (Weight scales are never so extreme: see
/// ScaleLimit.h.)
static Value emitScales(OpBuilder &b, Location loc, Value number, Value weightScale, Value rowScale) {
  return arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, number, weightScale), rowScale);
}

/// Returns (sum - zero x column sum) x weight scale x activation scale + bias.
static Value emitScaled(OpBuilder &b, Location loc, const RoundedOperands &operands, Value sums,
                        const ProductTile &tile) {
  SmallVector<RowInput> inputs = {leading(b, loc, sums, tile), ofRows(b, loc, operands.rowScales, tile),
                                  ofColumns(b, loc, operands.weightScales, tile)};
  if (operands.sums)
    inputs.push_back(ofColumns(b, loc, operands.sums, tile));
  if (operands.zeros)
    inputs.push_back(ofRows(b, loc, operands.zeros, tile));
  if (tile.bias)
    inputs.push_back({tile.bias, RowAccess::Column});
  auto f32 = b.getF32Type();
  Value target = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{tile.rows, tile.columns}, f32);
  return emitRowOp(b, loc, inputs, {{target, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
    Value number;
    if (operands.sums) {
      Value zero = operands.zeros ? arguments[4] : emitFloat(body, loc, f32, double(operands.zero));
      number = emitWithoutZero(body, loc, arguments[0], zero, arguments[3], floatsHoldSums(operands));
    } else {
      number = arith::SIToFPOp::create(body, loc, f32, arguments[0]);
    }
    Value product = emitScales(body, loc, number, arguments[2], arguments[1]);
    if (tile.bias)
      product = arith::AddFOp::create(body, loc, product, arguments[inputs.size() - 1]);
    return SmallVector<Value>{product};
  })[0];
}

/// Returns `products` plus the products of the outlier channels, if there are any.
static Value emitOutliers(OpBuilder &b, Location loc, const RoundedOperands &operands, Value products,
                          const ProductTile &tile) {
  if (!operands.outlierRows)
    return products;
  OpFoldResult zero = b.getIndexAttr(0);
  int64_t count = cast<RankedTensorType>(operands.outlierRows.getType()).getDimSize(1);
  Value rows = emitSlice(b, loc, operands.outlierRows, {tile.row, zero}, {tile.rows, count});
  Value weights = emitSlice(b, loc, operands.outlierWeight, {zero, tile.column}, {count, tile.columns});
  return linalg::MatmulOp::create(b, loc, products.getType(), ValueRange{rows, weights}, products).getResult(0);
}

Value heddle::emitProducts(OpBuilder &b, Location loc, const RoundedOperands &operands, Value sums,
                           const ProductTile &tile) {
  bool scaled = !operands.rowScales || operands.block;
  Value products = scaled ? leading(b, loc, sums, tile).value : emitScaled(b, loc, operands, sums, tile);
  return emitOutliers(b, loc, operands, products, tile);
}

Value heddle::emitProductRows(OpBuilder &b, Location loc, ProductKind kind, Value rows) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(rows.getType()).getShape();
  int64_t depth = kind.getDepth();
  return emitReshape(b, loc, rows, {shape[0], shape[1] / depth, depth});
}

RoundedOperands heddle::emitUnit(OpBuilder &b, Location loc, const RoundedOperands &operands, const Extent &count) {
  int64_t unit = operands.kind.getUnit().rows;
  auto copy = [&](Value rows) -> Value {
    auto type = cast<RankedTensorType>(rows.getType());
    int64_t columns = type.getDimSize(1);
    Value target = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{unit, columns}, type.getElementType());
    return emitRowLoop(b, loc, count, 1, target, [&](OpBuilder &inner, OpFoldResult at, int64_t part, Value carried) {
      SmallVector<OpFoldResult> first = {at, inner.getIndexAttr(0)};
      Value from = emitSlice(inner, loc, rows, first, {part, columns});
      Value to = emitSlice(inner, loc, carried, first, {part, columns});
      Value copied = linalg::CopyOp::create(inner, loc, from, to).getResult(0);
      return emitInsert(inner, loc, copied, carried, first, {part, columns});
    });
  };
  RoundedOperands result = operands;
  result.rows = copy(operands.rows);
  if (operands.block)
    for (Value *ofBlocks : {&result.rowScales, &result.zeros, &result.rowSums})
      if (*ofBlocks)
        *ofBlocks = copy(*ofBlocks);
  return result;
}

/// Returns the initial sums of block `number`, i32 of shape `shape` [rows, columns]. These are 0; but if 128 is added
/// to the weight to make it unsigned, they are -128 times the sum of the row's elements in the block. If products start
/// from zero instead of from these sums (`fromZero`), the sums are undefined.
static Value emitBlockStart(OpBuilder &b, Location loc, const RoundedOperands &operands, OpFoldResult number,
                            ArrayRef<int64_t> shape, const ProductTile &tile, bool fromZero) {
  Value empty = tensor::EmptyOp::create(b, loc, shape, b.getI32Type());
  if (fromZero)
    return empty;
  if (!operands.rowSums) {
    Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    return linalg::FillOp::create(b, loc, none, empty).getResult(0);
  }
  Value sums = emitSlice(b, loc, operands.rowSums, {tile.row, number}, {tile.rows, 0});
  return emitRowOp(b, loc, {{sums, RowAccess::Row}}, {{empty, RowAccess::Tile}},
                   [&](OpBuilder &body, ValueRange arguments) {
                     Value by = arith::ConstantOp::create(body, loc, body.getI32IntegerAttr(-128));
                     return SmallVector<Value>{arith::MulIOp::create(body, loc, arguments[0], by)};
                   })[0];
}

Value heddle::emitBlockSums(OpBuilder &b, Location loc, const RoundedOperands &operands, Value rows, Value weights,
                            const ProductTile &tile) {
  auto type = cast<RankedTensorType>(weights.getType());
  int64_t depth = operands.kind.getDepth(), dots = operands.block / depth, k = type.getShape().take_back(2).front();
  int64_t columns = ShapedType::getNumElements(type.getShape()) / k / depth;
  Value start = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{tile.rows, tile.columns}, b.getF32Type());
  start = tile.bias ? emitRowOp(b, loc, {{tile.bias, RowAccess::Column}}, {{start, RowAccess::Tile}},
                                [](OpBuilder &, ValueRange arguments) { return SmallVector<Value>{arguments[0]}; })[0]
                    : linalg::FillOp::create(b, loc, emitFloat(b, loc, b.getF32Type(), 0.0), start).getResult(0);
  // Products of matrix instructions need not read the initial sums if these are 0.
  bool fromZero = usesMatrices(operands) && !operands.rowSums;
  // Adds the `count` dot products of a block from `at` on, with scales applied, to `products`.
  auto add = [&](OpBuilder &inner, OpFoldResult at, int64_t count, Value products) -> Value {
    OpFoldResult zero = inner.getIndexAttr(0);
    OpFoldResult number = affine::makeComposedFoldedAffineApply(
        inner, loc, AffineMap::get(1, 0, inner.getAffineDimExpr(0).floorDiv(dots)), {at});
    OpFoldResult from = emitAffine(inner, loc, at, depth, 0);
    Value a = emitSlice(inner, loc, rows, {zero, from}, {tile.rows, count * depth});
    Value w = type.getRank() == 2
                  ? emitSlice(inner, loc, weights, {at, zero}, {count, type.getDimSize(1)})
                  : emitSlice(inner, loc, weights, {zero, at, zero}, {type.getDimSize(0), count, type.getDimSize(2)});
    Value sums = emitBlockStart(inner, loc, operands, number, {tile.rows, columns}, tile, fromZero);
    Value steps = emitReshape(inner, loc, a, {tile.rows, count, depth});
    auto product = TileProductOp::create(inner, loc, sums.getType(), steps, w, sums, ValueRange(), operands.kind,
                                         ArrayRef<int64_t>(), /*locality=*/3, fromZero);
    sums = product.getResult();
    auto ofBlock = [&](Value all) -> RowInput {
      bool inPanels = cast<RankedTensorType>(all.getType()).getRank() == 3;
      return {inPanels ? emitSlice(inner, loc, all, {tile.panel, number, zero}, {0, 0, tile.columns})
                       : emitSlice(inner, loc, all, {number, tile.column}, {0, tile.columns}),
              RowAccess::Column};
    };
    SmallVector<RowInput> inputs = {
        leading(inner, loc, sums, tile),
        {emitSlice(inner, loc, operands.rowScales, {tile.row, number}, {tile.rows, 0}), RowAccess::Row},
        ofBlock(operands.weightScales)};
    if (operands.sums) {
      inputs.push_back(ofBlock(operands.sums));
      inputs.push_back({emitSlice(inner, loc, operands.zeros, {tile.row, number}, {tile.rows, 0}), RowAccess::Row});
    }
    return emitRowOp(inner, loc, inputs, {{products, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
      Value sum = arith::SIToFPOp::create(body, loc, body.getF32Type(), arguments[0]);
      if (operands.sums) { // exact in f32 if a block has at most 514 columns
        sum = arith::SubFOp::create(body, loc, sum, arith::MulFOp::create(body, loc, arguments[4], arguments[3]));
      }
      Value term = emitScales(body, loc, sum, arguments[2], arguments[1]);
      return SmallVector<Value>{arith::AddFOp::create(body, loc, arguments.back(), term)};
    })[0];
  };
  return emitRowLoop(b, loc, k, dots, start, add);
}
