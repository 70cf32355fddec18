//===- LinearBlockResult.cpp - the epilogue of a thread's sums ------------===//

#include "LinearBlockLowering.h"
#include "LinearEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Emits the comparison left < right.
Value LinearBlockLowering::isLess(OpFoldResult left, OpFoldResult right) {
  auto value = [&](OpFoldResult index) { return getValueOrCreateConstantIndexOp(b, loc, index); };
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value(left), value(right));
}

/// Emits an scf.if that yields the result of `then` if `isInside` is true, and `target` otherwise. If `isInside` is
/// null, emits `then` alone.
Value LinearBlockLowering::guarded(Value isInside, Value target, function_ref<Value()> then) {
  if (!isInside)
    return then();
  auto choice = scf::IfOp::create(b, loc, target.getType(), isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value result = then();
  scf::YieldOp::create(b, loc, result);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, target);
  return choice.getResult(0);
}

/// Applies the epilogue to `width` products of a row, and returns `target` with the results. `row` and `column` are the
/// position in the result to which the first product belongs.
Value LinearBlockLowering::finishRow(OpFoldResult row, OpFoldResult column, Value product, int64_t width,
                                     Value target) {
  bool isTile = width > 1;
  auto element = [&](Value from, ArrayRef<OpFoldResult> at) -> Value {
    return tensor::ExtractOp::create(b, loc, from, getValueOrCreateConstantIndexOp(b, loc, at));
  };
  auto operand = [&](Value from, ArrayRef<OpFoldResult> at, ArrayRef<int64_t> sizes) {
    return !from ? Value() : isTile ? emitSlice(b, loc, from, at, sizes) : element(from, at);
  };
  LinearEpilogue epilogue = {linear.getActivation(), operand(linear.getBias(), {column}, {width}),
                             operand(residual, {row, column}, {1, width}),
                             operand(active ? active->flags : Value(), {row}, {1})};
  if (isTile)
    return emitFinishedTile(b, loc, epilogue, product, target);
  Value zero = getValueOrCreateConstantIndexOp(b, loc, OpFoldResult(b.getIndexAttr(0)));
  Value x = tensor::ExtractOp::create(b, loc, product, ValueRange{zero, zero});
  return tensor::InsertOp::create(b, loc, emitFinished(b, loc, epilogue, x), target, ValueRange{zero, zero});
}

/// Emits the epilogue for vector `vector` of each of a thread's rows. `at` is the position of the thread along rows and
/// columns. Returns the results with their position in `out`, the block's part of the whole result.
TaskPart LinearBlockLowering::emitFinish(ValueRange at, int64_t vector, Value sums, Value out) {
  OpFoldResult number = b.getIndexAttr(vector), lanes = b.getIndexAttr(wideLanes);
  OpFoldResult first = sum({at[0]}, {block.threadRows}), along = sum({at[1]}, {wideLanes});
  OpFoldResult column = sum({number, along}, {block.columns / block.vectors, 1});
  OpFoldResult rows = wholeRows ? b.getIndexAttr(block.threadRows) : countFrom(first, height, block.threadRows);
  OpFoldResult columns = wholeColumns ? lanes : countFrom(column, width, wideLanes);
  OpFoldResult outRow = wholeRows ? first : emitAtMost(b, loc, {first}, height);
  OpFoldResult outColumn = wholeColumns ? column : emitAtMost(b, loc, {column}, width);
  SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1)), place = {outRow, outColumn}, sizes = {rows, columns};
  Value part = tensor::ExtractSliceOp::create(b, loc, out, place, sizes, ones);
  OpFoldResult resultColumn = sum({firstColumn, column}, {1, 1});
  for (int64_t i = 0; i < block.threadRows; ++i) {
    OpFoldResult row = b.getIndexAttr(i), inBlock = sum({first, row}, {1, 1});
    OpFoldResult resultRow = sum({firstRow, inBlock}, {1, 1});
    auto finish = [&](int64_t lane, int64_t width, Value into) {
      OpFoldResult shift = b.getIndexAttr(lane);
      Value product = emitSlice(b, loc, sums, {inBlock, number, sum({along, shift}, {1, 1})}, {1, 0, width});
      Value tile = emitSlice(b, loc, into, {row, shift}, {1, width});
      tile = finishRow(resultRow, sum({resultColumn, shift}, {1, 1}), product, width, tile);
      return emitInsert(b, loc, tile, into, {row, shift}, {1, width});
    };
    part = guarded(wholeRows ? Value() : isLess(row, rows), part, [&] {
      if (n % wideLanes == 0)
        return guarded(wholeColumns ? Value() : isLess(b.getIndexAttr(wideLanes - 1), columns), part,
                       [&] { return finish(0, wideLanes, part); });
      Value ends = part;
      for (int64_t lane = 0; lane < wideLanes; ++lane)
        ends = guarded(isLess(b.getIndexAttr(lane), columns), ends, [&] { return finish(lane, 1, ends); });
      return ends;
    });
  }
  return {part, place, sizes};
}
