//===- RoundedRows.cpp - tasks that round a layer's rows ------------------===//

#include "RoundedRows.h"
#include "RowOps.h"

#include "transforms/ForProducts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Copies the outlier channels of x, `columns`, to the columns of `target` [rows, E], and returns `target`.
static Value emitColumns(OpBuilder &b, Location loc, Value x, const OutlierChannels &columns, Value target) {
  auto index = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, loc, number); };
  for (int64_t i = 0; i < columns.count(); ++i) {
    Value column = columns.number(b, loc, i);
    for (int64_t row = 0; row < cast<RankedTensorType>(x.getType()).getDimSize(0); ++row) {
      Value element = tensor::ExtractOp::create(b, loc, x, ValueRange{index(row), column});
      target = tensor::InsertOp::create(b, loc, element, target, ValueRange{index(row), index(i)});
    }
  }
  return target;
}

/// Converts x to the narrower floats of `target`, which only products read.
static Value emitNarrowed(OpBuilder &b, Location loc, Value x, Value target) {
  Type element = getElementTypeOrSelf(target);
  return emitRowOp(b, loc, {{x, RowAccess::Tile}}, {{target, RowAccess::Tile}},
                   [&](OpBuilder &body, ValueRange arguments) {
                     return SmallVector<Value>{emitForProducts(body, loc, arguments[0], element)};
                   })[0];
}

/// Writes the zero points of rows, plus `shift`, to `target` [rows] of f32.
static Value emitZeros(OpBuilder &b, Location loc, Value zero, int64_t shift, Value target) {
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(1));
  auto whole = linalg::GenericOp::create(
      b, loc, target.getType(), zero, target, maps, utils::IteratorType::parallel,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        Value by = emitFloat(body, loc, arguments[0].getType(), double(shift));
        linalg::YieldOp::create(body, loc, Value(arith::AddFOp::create(body, loc, arguments[0], by)));
      });
  return whole.getResult(0);
}

/// Writes the sum of each row of integers to `target` [rows] of i32.
static Value emitRowSums(OpBuilder &b, Location loc, Value rows, bool isUnsigned, Value target) {
  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value zeros = linalg::FillOp::create(b, loc, none, target).getResult(0);
  return emitRowOp(b, loc, {{rows, RowAccess::Tile}}, {{zeros, RowAccess::Row}},
                   [&](OpBuilder &body, ValueRange arguments) {
                     Type word = body.getI32Type();
                     Value wide = isUnsigned ? Value(arith::ExtUIOp::create(body, loc, word, arguments[0]))
                                             : Value(arith::ExtSIOp::create(body, loc, word, arguments[0]));
                     return SmallVector<Value>{arith::AddIOp::create(body, loc, arguments[1], wide)};
                   })[0];
}

namespace {
/// Rounds tiles of rows, and writes the members of RoundedOperands that belong to rows to tensors, the destinations.
struct RowTask {
  Location loc;
  RowRoundingAttr rounding;
  OutlierChannels outliers;
  StoredIntegers stored;
  RowScales whole;   // scale and zero point of the whole input, if all rows share them; else null
  int64_t k, padded; // the number of columns, and this number rounded up to a multiple of the depth of the products
  // The indices of the destinations for zero points, row sums, totals and outlier channels; 0: not stored. Destination
  // 0 is the rounded rows, and destination 1 is their scales if they are integers.
  unsigned zerosAt = 0, sumsAt = 0, totalsAt = 0, outliersAt = 0;
  int64_t group = 0; // the number of columns of which a total is stored, if there is a destination for totals

  /// Returns the number of columns of a block, where a row without blocks is one block.
  int64_t block() const { return rounding.getBlock() ? rounding.getBlock() : k; }
  /// Rounds the tile x [rows, k]. `targets` are the parts of the destinations for these rows. Returns the written
  /// parts.
  SmallVector<Value> emit(OpBuilder &b, Value x, ValueRange targets);

private:
  using BlockBody = function_ref<void(OpBuilder &, const RowNumbers &, OpFoldResult at, SmallVector<Value> &carried)>;
  void overBlocks(OpBuilder &b, const RowNumbers &numbers, SmallVector<Value> &carried, BlockBody body);
  OpFoldResult numberOf(OpBuilder &b, OpFoldResult at);
  void emitBlock(OpBuilder &b, const RowNumbers &numbers, OpFoldResult at, const RowScales &scales,
                 SmallVector<Value> &targets);
  void emitTotals(OpBuilder &b, Value integers, OpFoldResult at, const RowScales &scales, SmallVector<Value> &targets);
  void emitBlocks(OpBuilder &b, const RowNumbers &numbers, SmallVector<Value> &targets);
};
} // namespace

/// Emits a loop that runs `body` on each block, or on whole rows if there are no blocks, and updates `carried`. `body`
/// gets the elements of the block, its first column and the carried values, which `body` changes.
void RowTask::overBlocks(OpBuilder &b, const RowNumbers &numbers, SmallVector<Value> &carried, BlockBody body) {
  int64_t rows = cast<RankedTensorType>(numbers.x.getType()).getDimSize(0);
  auto block = [&](OpBuilder &inner, OpFoldResult at, int64_t size, ValueRange values) {
    OpFoldResult zero = inner.getIndexAttr(0);
    RowNumbers part = {emitSlice(inner, loc, numbers.x, {zero, at}, {rows, size}),
                       numbers.mask ? emitSlice(inner, loc, numbers.mask, at, size) : Value()};
    SmallVector<Value> next(values);
    body(inner, part, at, next);
    return next;
  };
  carried = emitRowLoop(b, loc, k, this->block(), carried, block);
}

/// Returns the number of the block that begins at column `at`.
OpFoldResult RowTask::numberOf(OpBuilder &b, OpFoldResult at) {
  AffineExpr number = b.getAffineDimExpr(0).floorDiv(block());
  return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(1, 0, number), {at});
}

/// Writes the integers and scales of the block that begins at column `at` to `targets`, and its zero points and sums if
/// these have destinations.
void RowTask::emitBlock(OpBuilder &b, const RowNumbers &numbers, OpFoldResult at, const RowScales &scales,
                        SmallVector<Value> &targets) {
  auto type = cast<RankedTensorType>(numbers.x.getType());
  SmallVector<OpFoldResult> place = {b.getIndexAttr(0), at}, number = {b.getIndexAttr(0)};
  SmallVector<int64_t> one = {type.getDimSize(0)};
  if (rounding.getBlock()) {
    number.push_back(numberOf(b, at));
    one.push_back(0);
  }
  Value bytes = emitIntegers(b, loc, numbers, scales, stored, emitSlice(b, loc, targets[0], place, type.getShape()));
  targets[0] = emitInsert(b, loc, bytes, targets[0], place, type.getShape());
  auto put = [&](unsigned which, function_ref<Value(Value)> compute) {
    Value target = emitSlice(b, loc, targets[which], number, one);
    targets[which] = emitInsert(b, loc, compute(target), targets[which], number, one);
  };
  put(1, [&](Value target) { return linalg::CopyOp::create(b, loc, scales.scale, target).getResult(0); });
  if (zerosAt)
    put(zerosAt, [&](Value target) { return emitZeros(b, loc, scales.zero, stored.shift, target); });
  if (sumsAt)
    put(sumsAt, [&](Value target) { return emitRowSums(b, loc, bytes, false, target); });
  if (totalsAt)
    emitTotals(b, bytes, at, scales, targets);
}

/// Writes the totals of the groups of the block of integers that begins at column `at`: their sums without zero points.
void RowTask::emitTotals(OpBuilder &b, Value integers, OpFoldResult at, const RowScales &scales,
                         SmallVector<Value> &targets) {
  auto type = cast<RankedTensorType>(integers.getType());
  int64_t rows = type.getDimSize(0);
  bool hasZeros = type.getElementType().isInteger(8), isUnsigned = hasZeros && stored.minimum >= 0;
  for (int64_t from = 0; from < type.getDimSize(1); from += group) {
    OpFoldResult zero = b.getIndexAttr(0);
    Value part = emitSlice(b, loc, integers, {zero, b.getIndexAttr(from)}, {rows, group});
    Value sums = emitRowSums(b, loc, part, isUnsigned, tensor::EmptyOp::create(b, loc, {rows}, b.getI32Type()));
    AffineExpr number = (b.getAffineDimExpr(0) + from).floorDiv(group);
    SmallVector<OpFoldResult> place = {
        zero, affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(1, 0, number), {at})};
    Value target = emitSlice(b, loc, targets[totalsAt], place, {rows, 0});
    SmallVector<Value> inputs = {sums};
    if (hasZeros)
      inputs.push_back(scales.zero);
    Value totals = emitOfEachRow(b, inputs, target, [&](OpBuilder &body, ValueRange arguments) {
      Type f32 = body.getF32Type();
      Value sum = arith::SIToFPOp::create(body, loc, f32, arguments[0]);
      if (!hasZeros)
        return SmallVector<Value>{sum};
      Value shifted = arith::AddFOp::create(body, loc, arguments[1], emitFloat(body, loc, f32, double(stored.shift)));
      Value zeros = arith::MulFOp::create(body, loc, shifted, emitFloat(body, loc, f32, double(group)));
      return SmallVector<Value>{arith::SubFOp::create(body, loc, sum, zeros)};
    })[0];
    targets[totalsAt] = emitInsert(b, loc, totals, targets[totalsAt], place, {rows, 0});
  }
}

/// If each block has a scale, rounds rows in three passes over all blocks: extrema, then scales (which need divisions),
/// then integers. In a single pass, each block would have to wait 115 cycles for its own divisions (Zen4, 4 rows).
void RowTask::emitBlocks(OpBuilder &b, const RowNumbers &numbers, SmallVector<Value> &targets) {
  int64_t rows = cast<RankedTensorType>(numbers.x.getType()).getDimSize(0), blocks = llvm::divideCeil(k, block());
  // Extrema are stored block by block, [blocks, rows], so that divisions fill whole vectors.
  auto ofBlock = [&](OpBuilder &inner, Value all, OpFoldResult at) {
    return emitSlice(inner, loc, all, {numberOf(inner, at), inner.getIndexAttr(0)}, {0, rows});
  };
  SmallVector<Value> extrema(rounding.isUnsigned() ? 2 : 1);
  for (Value &all : extrema)
    all = tensor::EmptyOp::create(b, loc, {blocks, rows}, b.getI32Type());
  auto search = [&](OpBuilder &inner, const RowNumbers &part, OpFoldResult at, SmallVector<Value> &carried) {
    SmallVector<Value> found = emitExtrema(inner, loc, part, rounding.isUnsigned());
    for (auto [bits, all] : llvm::zip_equal(found, carried)) {
      Value copy = linalg::CopyOp::create(inner, loc, bits, ofBlock(inner, all, at)).getResult(0);
      all = emitInsert(inner, loc, copy, all, {numberOf(inner, at), inner.getIndexAttr(0)}, {0, rows});
    }
  };
  overBlocks(b, numbers, extrema, search);
  for (Value &all : extrema)
    all = emitReshape(b, loc, all, {blocks * rows});
  RowScales scales = emitScalesOf(b, loc, extrema, rounding);
  for (Value *all : {&scales.scale, &scales.inverse, &scales.zero})
    *all = *all ? emitReshape(b, loc, *all, {blocks, rows}) : Value();
  auto round = [&](OpBuilder &inner, const RowNumbers &part, OpFoldResult at, SmallVector<Value> &carried) {
    RowScales own = {ofBlock(inner, scales.scale, at), ofBlock(inner, scales.inverse, at),
                    scales.zero ? ofBlock(inner, scales.zero, at) : Value()};
    emitBlock(inner, part, at, own, carried);
  };
  overBlocks(b, numbers, targets, round);
}

SmallVector<Value> RowTask::emit(OpBuilder &b, Value x, ValueRange targets) {
  int64_t rows = cast<RankedTensorType>(x.getType()).getDimSize(0);
  OpFoldResult zero = b.getIndexAttr(0);
  SmallVector<Value> results(targets);
  if (outliersAt)
    results[outliersAt] = emitColumns(b, loc, x, outliers, results[outliersAt]);
  if (rounding.isInteger()) {
    RowNumbers numbers = {x, outliers.mask};
    if (rounding.getBlock()) {
      emitBlocks(b, numbers, results);
    } else {
      emitBlock(b, numbers, zero, emitRowScales(b, loc, numbers, rounding, whole), results);
    }
  } else {
    Value place = emitSlice(b, loc, results[0], {zero, zero}, {rows, k});
    results[0] = emitInsert(b, loc, emitNarrowed(b, loc, x, place), results[0], {zero, zero}, {rows, k});
  }
  if (padded == k)
    return results;
  SmallVector<OpFoldResult> behind = {zero, b.getIndexAttr(k)};
  Value rest = emitSlice(b, loc, results[0], behind, {rows, padded - k});
  Value nothing = arith::ConstantOp::create(b, loc, b.getZeroAttr(getElementTypeOrSelf(rest)));
  Value filled = linalg::FillOp::create(b, loc, nothing, rest).getResult(0);
  results[0] = emitInsert(b, loc, filled, results[0], behind, {rows, padded - k});
  return results;
}

/// Returns the number to add to rounded integers, so that they are unsigned bytes if rows are the unsigned operand, and
/// signed bytes otherwise.
static int64_t shiftOf(RowRoundingAttr rounding, UnsignedSide unsignedSide) {
  return 128 * (int64_t(unsignedSide == UnsignedSide::Rows) - int64_t(rounding.isUnsigned()));
}

RoundedOperands heddle::emitRoundedRows(OpBuilder &b, Location loc, Value input, RowRoundingAttr rounding,
                                        const OutlierChannels &outliers, ProductKind kind, int64_t group) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t m = type.getDimSize(0), k = type.getDimSize(1);
  bool words = isa<DotWordsAttr>(kind);
  StoredIntegers stored(rounding, words ? 0 : shiftOf(rounding, kind.getUnsignedSide()));
  RowScales whole = emitTensorScales(b, loc, {input, outliers.mask}, rounding);
  RowTask task = {loc, rounding, outliers, stored, whole, k, int64_t(llvm::alignTo(k, kind.getDepth()))};
  SmallVector<Value> dests;
  auto add = [&](ArrayRef<int64_t> shape, Type element) {
    dests.push_back(tensor::EmptyOp::create(b, loc, shape, element));
    return dests.size() - 1;
  };
  SmallVector<int64_t> scales = {m};
  if (rounding.getBlock())
    scales.push_back(llvm::divideCeil(k, rounding.getBlock()));
  add({m, task.padded}, kind.getRowsElement());
  if (rounding.isInteger())
    add(scales, b.getF32Type());
  if (rounding.isUnsigned() && !rounding.getScale() && !words)
    task.zerosAt = add(scales, b.getF32Type());
  if (kind.getUnsignedSide() == UnsignedSide::Weight)
    task.sumsAt = add(scales, b.getI32Type());
  if (group) {
    task.group = group;
    task.totalsAt = add({m, k / group}, b.getF32Type());
  }
  if (outliers.count())
    task.outliersAt = add({m, outliers.count()}, b.getF32Type());

  auto tile = [&](OpBuilder &inner, OpFoldResult row, int64_t rows, ValueRange targets) {
    Value x = emitSlice(inner, loc, input, {row, inner.getIndexAttr(0)}, {rows, k});
    return task.emit(inner, x, targets);
  };
  SmallVector<Value> results = emitRowTasks(b, loc, dests, k, rowsOfTile, tile);
  RoundedOperands operands;
  operands.rows = results[0];
  operands.kind = kind;
  operands.block = rounding.getBlock();
  if (rounding.isInteger())
    operands.rowScales = results[1];
  if (task.zerosAt)
    operands.zeros = results[task.zerosAt];
  else if (rounding.isInteger() && !words)
    operands.zero = rounding.getZero() + stored.shift;
  if (task.sumsAt)
    operands.rowSums = results[task.sumsAt];
  if (task.totalsAt)
    operands.rowTotals = results[task.totalsAt];
  if (task.outliersAt)
    operands.outlierRows = results[task.outliersAt];
  return operands;
}
