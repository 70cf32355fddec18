//===- RoundedRows.cpp - tasks that round a layer's rows ------------------===//

#include "RoundedRows.h"
#include "RowOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Some columns of x, beside each other in `target`.
static Value emitColumns(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> columns, Value target) {
  auto index = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, loc, number); };
  for (int64_t row = 0; row < cast<RankedTensorType>(x.getType()).getDimSize(0); ++row)
    for (auto [i, column] : llvm::enumerate(columns)) {
      Value element = tensor::ExtractOp::create(b, loc, x, ValueRange{index(row), index(column)});
      target = tensor::InsertOp::create(b, loc, element, target, ValueRange{index(row), index(i)});
    }
  return target;
}

/// x as narrower floats, into `target`.
static Value emitNarrowed(OpBuilder &b, Location loc, Value x, Value target) {
  Type element = getElementTypeOrSelf(target);
  return emitRowOp(b, loc, {{x, RowAccess::Tile}}, {{target, RowAccess::Tile}},
                   [&](OpBuilder &body, ValueRange arguments) {
                     return SmallVector<Value>{arith::TruncFOp::create(body, loc, element, arguments[0])};
                   })[0];
}

/// A row's zero as it is stored, into `target` [rows] of f32.
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

/// The sum of each row of bytes, into `target` [rows] of i32.
static Value emitRowSums(OpBuilder &b, Location loc, Value rows, Value target) {
  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value zeros = linalg::FillOp::create(b, loc, none, target).getResult(0);
  return emitRowOp(b, loc, {{rows, RowAccess::Tile}}, {{zeros, RowAccess::Row}},
                   [&](OpBuilder &body, ValueRange arguments) {
                     Value wide = arith::ExtSIOp::create(body, loc, body.getI32Type(), arguments[0]);
                     return SmallVector<Value>{arith::AddIOp::create(body, loc, arguments[1], wide)};
                   })[0];
}

namespace {
/// The rows of an input as what products read of them.
struct RowTask {
  Location loc;
  RowRoundingAttr rounding;
  StoredIntegers stored;
  RowSteps whole;    // of the input
  int64_t k, padded; // columns, and as many as whole dots have
  unsigned zerosAt = 0, sumsAt = 0, exactAt = 0; // among the destinations; the rows are the first, their steps the next

  int64_t block() const { return rounding.getBlock() ? rounding.getBlock() : k; }
  SmallVector<Value> emit(OpBuilder &b, Value x, ValueRange targets);
  void emitBlock(OpBuilder &b, const RowNumbers &all, OpFoldResult at, int64_t size, SmallVector<Value> &targets);
};
} // namespace

/// `size` columns from `at` on, with a step for each row.
void RowTask::emitBlock(OpBuilder &b, const RowNumbers &all, OpFoldResult at, int64_t size,
                        SmallVector<Value> &targets) {
  int64_t rows = cast<RankedTensorType>(all.x.getType()).getDimSize(0);
  SmallVector<OpFoldResult> place = {b.getIndexAttr(0), at}, number = {b.getIndexAttr(0)};
  SmallVector<int64_t> one = {rows};
  if (rounding.getBlock()) {
    AffineExpr which = b.getAffineDimExpr(0).floorDiv(block());
    number.push_back(affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(1, 0, which), {at}));
    one.push_back(0);
  }
  RowNumbers part = {emitSlice(b, loc, all.x, place, {rows, size}),
                     all.kept ? emitSlice(b, loc, all.kept, at, size) : Value()};
  RowSteps steps = emitRowSteps(b, loc, part, rounding, whole);
  Value bytes = emitIntegers(b, loc, part, steps, stored, emitSlice(b, loc, targets[0], place, {rows, size}));
  targets[0] = emitInsert(b, loc, bytes, targets[0], place, {rows, size});
  auto put = [&](unsigned which, function_ref<Value(Value)> compute) {
    Value target = emitSlice(b, loc, targets[which], number, one);
    targets[which] = emitInsert(b, loc, compute(target), targets[which], number, one);
  };
  put(1, [&](Value target) { return linalg::CopyOp::create(b, loc, steps.step, target).getResult(0); });
  if (zerosAt)
    put(zerosAt, [&](Value target) { return emitZeros(b, loc, steps.zero, stored.shift, target); });
  if (sumsAt)
    put(sumsAt, [&](Value target) { return emitRowSums(b, loc, bytes, target); });
}

SmallVector<Value> RowTask::emit(OpBuilder &b, Value x, ValueRange targets) {
  int64_t rows = cast<RankedTensorType>(x.getType()).getDimSize(0);
  OpFoldResult zero = b.getIndexAttr(0);
  SmallVector<Value> results(targets);
  if (exactAt)
    results[exactAt] = emitColumns(b, loc, x, rounding.getExact(), results[exactAt]);
  if (rounding.isInteger()) {
    RowNumbers numbers = {x, emitKeptBits(b, loc, cast<RankedTensorType>(x.getType()), rounding.getExact())};
    auto blocks = [&](OpBuilder &inner, OpFoldResult at, int64_t size, ValueRange carried) {
      SmallVector<Value> next(carried);
      emitBlock(inner, numbers, at, size, next);
      return next;
    };
    results = emitRowLoop(b, loc, k, block(), results, blocks);
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

/// By how much integers are moved so that the rows' side has the sign that is wanted.
static int64_t shiftOf(RowRoundingAttr rounding, UnsignedSide unsignedSide) {
  return 128 * (int64_t(unsignedSide == UnsignedSide::Rows) - int64_t(rounding.isUnsigned()));
}

RoundedOperands heddle::emitRoundedRows(OpBuilder &b, Location loc, Value input, RowRoundingAttr rounding,
                                        int64_t depth, UnsignedSide unsignedSide) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t m = type.getDimSize(0), k = type.getDimSize(1);
  bool words = rounding.isInteger() && depth == 2;
  StoredIntegers stored(rounding, words ? 0 : shiftOf(rounding, unsignedSide));
  RowSteps whole = emitTensorSteps(b, loc, input, rounding);
  RowTask task = {loc, rounding, stored, whole, k, int64_t(llvm::alignTo(k, depth))};
  SmallVector<Value> dests;
  auto add = [&](ArrayRef<int64_t> shape, Type element) {
    dests.push_back(tensor::EmptyOp::create(b, loc, shape, element));
    return dests.size() - 1;
  };
  SmallVector<int64_t> steps = {m};
  if (rounding.getBlock())
    steps.push_back(llvm::divideCeil(k, rounding.getBlock()));
  add({m, task.padded}, rounding.isInteger() ? Type(b.getIntegerType(words ? 16 : 8)) : rounding.getElement());
  if (rounding.isInteger())
    add(steps, b.getF32Type());
  if (rounding.isUnsigned() && !rounding.getStep() && !words)
    task.zerosAt = add(steps, b.getF32Type());
  if (unsignedSide == UnsignedSide::Weight)
    task.sumsAt = add(steps, b.getI32Type());
  if (!rounding.getExact().empty())
    task.exactAt = add({m, int64_t(rounding.getExact().size())}, b.getF32Type());

  auto tile = [&](OpBuilder &inner, OpFoldResult row, int64_t rows, ValueRange targets) {
    Value x = emitSlice(inner, loc, input, {row, inner.getIndexAttr(0)}, {rows, k});
    return task.emit(inner, x, targets);
  };
  SmallVector<Value> results = emitRowTasks(b, loc, dests, k, rowsOfTile, tile);
  RoundedOperands operands;
  operands.rows = results[0];
  operands.depth = depth;
  operands.unsignedSide = unsignedSide;
  operands.block = rounding.getBlock();
  if (rounding.isInteger())
    operands.steps = results[1];
  if (task.zerosAt)
    operands.zeros = results[task.zerosAt];
  else if (rounding.isInteger() && !words)
    operands.zero = rounding.getZero() + stored.shift;
  if (task.sumsAt)
    operands.rowSums = results[task.sumsAt];
  if (task.exactAt)
    operands.exactRows = results[task.exactAt];
  return operands;
}
