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

/// Converts an element of the weight's scales, sums or minima to f32.
static Value emitWide(OpBuilder &b, Location loc, Value number) {
  return number.getType().isF32() ? number : Value(arith::ExtFOp::create(b, loc, b.getF32Type(), number));
}

/// Returns (number x weightScale + offset) x rowScale, where `rowScale` is the activation scale, and a null offset is
/// 0. The number is multiplied by the weight scale first, because the product of both scales may overflow or underflow
/// although the result does not: activation scales may be as small or large as the elements of rows. (Scales and minima
/// of weights are never so extreme: see ScaleLimit.h.)
static Value emitScales(OpBuilder &b, Location loc, Value number, Value weightScale, Value rowScale,
                        Value offset = Value()) {
  Value scaled = arith::MulFOp::create(b, loc, number, weightScale);
  if (offset)
    scaled = arith::AddFOp::create(b, loc, scaled, offset);
  return arith::MulFOp::create(b, loc, scaled, rowScale);
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
    for (Value *ofBlocks : {&result.rowScales, &result.zeros, &result.rowSums, &result.rowTotals})
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
                            const ProductTile &tile, const GroupPrefetch &prefetch) {
  auto type = cast<RankedTensorType>(weights.getType());
  int64_t depth = operands.kind.getDepth(), shared = operands.kind.getStepsPerElement();
  int64_t dots = operands.group / depth; // the dot products of a group
  int64_t lines = type.getShape().take_back(2).front();
  int64_t columns = ShapedType::getNumElements(type.getShape()) / lines / depth;
  Value start = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{tile.rows, tile.columns}, b.getF32Type());
  start = tile.bias ? emitRowOp(b, loc, {{tile.bias, RowAccess::Column}}, {{start, RowAccess::Tile}},
                                [](OpBuilder &, ValueRange arguments) { return SmallVector<Value>{arguments[0]}; })[0]
                    : linalg::FillOp::create(b, loc, emitFloat(b, loc, b.getF32Type(), 0.0), start).getResult(0);
  // Products of matrix instructions need not read the initial sums if these are 0.
  bool fromZero = usesMatrices(operands) && !operands.rowSums;
  // Adds the `count` dot products of a group from `at` on, with scales applied, to `products`.
  auto add = [&](OpBuilder &inner, OpFoldResult at, int64_t count, Value products) -> Value {
    OpFoldResult zero = inner.getIndexAttr(0);
    auto quotient = [&](int64_t by) {
      return affine::makeComposedFoldedAffineApply(inner, loc,
                                                   AffineMap::get(1, 0, inner.getAffineDimExpr(0).floorDiv(by)), {at});
    };
    OpFoldResult group = quotient(dots), block = quotient(operands.block / depth), line = quotient(shared);
    OpFoldResult from = emitAffine(inner, loc, at, depth, 0);
    Value a = emitSlice(inner, loc, rows, {zero, from}, {tile.rows, count * depth});
    SmallVector<OpFoldResult> first = {line, zero};
    SmallVector<int64_t> shape = {count / shared, type.getShape().back()};
    if (type.getRank() == 3) {
      first.insert(first.begin(), zero);
      shape.insert(shape.begin(), type.getDimSize(0));
    }
    Value w = emitSlice(inner, loc, weights, first, shape);
    Value sums = emitBlockStart(inner, loc, operands, block, {tile.rows, columns}, tile, fromZero);
    Value steps = emitReshape(inner, loc, a, {tile.rows, count, depth});
    GroupPrefetch::Lines ahead = prefetch.emit(inner, loc, operands.weight, tile.panel, line, shape.end()[-2], count);
    auto product = TileProductOp::create(inner, loc, sums.getType(), steps, w, sums, ahead.lists, operands.kind,
                                         ahead.every, ahead.lists.empty() ? 3 : prefetch.locality, fromZero);
    sums = product.getResult();
    auto ofGroup = [&](Value all) -> RowInput {
      bool inPanels = cast<RankedTensorType>(all.getType()).getRank() == 3;
      return {inPanels ? emitSlice(inner, loc, all, {tile.panel, group, zero}, {0, 0, tile.columns})
                       : emitSlice(inner, loc, all, {group, tile.column}, {0, tile.columns}),
              RowAccess::Column};
    };
    auto ofRows = [&](Value all, OpFoldResult number) -> RowInput {
      return {emitSlice(inner, loc, all, {tile.row, number}, {tile.rows, 0}), RowAccess::Row};
    };
    SmallVector<RowInput> inputs = {leading(inner, loc, sums, tile), ofRows(operands.rowScales, block),
                                    ofGroup(operands.weightScales)};
    if (operands.sums)
      inputs.append({ofGroup(operands.sums), ofRows(operands.zeros, block)});
    if (operands.minima)
      inputs.append({ofGroup(operands.minima), ofRows(operands.rowTotals, group)});
    return emitRowOp(inner, loc, inputs, {{products, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
      auto wide = [&](size_t at) { return emitWide(body, loc, arguments[at]); };
      Value sum = arith::SIToFPOp::create(body, loc, body.getF32Type(), arguments[0]), offset;
      if (operands.sums) // exact in f32 if a block has at most 514 columns
        sum = arith::SubFOp::create(body, loc, sum, arith::MulFOp::create(body, loc, arguments[4], wide(3)));
      if (size_t at = operands.sums ? 5 : 3; operands.minima)
        offset = arith::MulFOp::create(body, loc, wide(at), arguments[at + 1]);
      Value term = emitScales(body, loc, sum, wide(2), arguments[1], offset);
      return SmallVector<Value>{arith::AddFOp::create(body, loc, arguments.back(), term)};
    })[0];
  };
  return emitRowLoop(b, loc, lines * shared, dots, start, add);
}
