//===- RecurrentAttention.cpp - recurrent attention as a loop -------------===//

#include "Attention.h"
#include "Emit.h"
#include "Sizes.h"
#include "StateProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A task, which computes some columns of the state and the result for one key head of one sequence.
struct RecurrentTask {
  TileBuilder &b;
  RecurrentAttentionOp op;
  Value before; // the state before the call; null: zeros
  Value batch, head, firstColumn; // indices; `head` is the key head
  // `columns`: the number of columns that the task computes. `sharing`: the number of query heads that share the state
  // of a key head.
  int64_t columns, sharing;

  int64_t size() { return op.getKey().getType().getShape().back(); }
  Type element() { return op.getKey().getType().getElementType(); }

  /// Returns the slice [heads][count] of a tensor [B,S,H,..] at position `position`.
  Value at(Value from, Value position, Value firstHead, int64_t heads, OpFoldResult first, int64_t count) {
    return b.slice(from, {batch, position, firstHead, first}, {1, 1, heads, count}, {2, 3});
  }
  /// Returns the elements at `position` for the task's key head, [1][count]. `from` has either one head for each key
  /// head, or one head for all.
  Value ofHead(Value from, Value position, OpFoldResult first, int64_t count) {
    bool shared = cast<RankedTensorType>(from.getType()).getDimSize(2) == 1;
    return at(from, position, shared ? b.index(0) : head, 1, first, count);
  }

  /// The task's slice of the state [B,H,D,Dv].
  SmallVector<OpFoldResult> stateOffsets() { return {batch, head, b.getIndexAttr(0), firstColumn}; }
  SmallVector<Extent> stateSizes() { return {1, 1, size(), columns}; }

  /// Returns the state before the first position, [D][columns].
  Value initialState();
  Value decayed(Value state, Value position);
  /// Returns beta x (value - key x state), [1][columns], with the beta of `position`.
  Value corrected(Value value, Value key, Value state, Value position);
  Value nextState(Value position, Value state);
  /// Writes the results of the queries at `position` to `into` [S][sharing][columns], and returns `into`.
  Value results(Value position, Value state, Value into);
};

} // namespace

Value RecurrentTask::initialState() {
  if (!before)
    return b.filled({size(), columns}, 0.0, element());
  Value given = b.slice(before, stateOffsets(), stateSizes(), {2, 3});
  return b.generic("pp", {{0, 1}, {0, 1}}, given, b.empty({size(), columns}, element()), TileBuilder::same)[0];
}

/// Returns the state multiplied by exp(decay) at `position`: one factor for each row of the state, or one for all rows.
Value RecurrentTask::decayed(Value state, Value position) {
  Value decay = op.getDecay();
  int64_t count = cast<RankedTensorType>(decay.getType()).getShape().back();
  // One exponential is computed for each row instead of each element of the state.
  SmallVector<OpFoldResult> offsets = {batch, position, head, b.getIndexAttr(0)};
  bool isOfRows = count == size();
  Value exponents = b.slice(decay, offsets, {1, 1, 1, count}, isOfRows ? LoopDims{3} : LoopDims{});
  Value factors = b.generic(
      "p", {isOfRows ? LoopDims{0} : LoopDims{}, {0}}, exponents, b.empty({size()}, element()),
      [](TileBuilder &inner, ValueRange args) { return SmallVector<Value>{math::ExpOp::create(inner, args[0])}; })[0];
  return b.generic("pp", {{0}, {0, 1}}, factors, state, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::MulFOp::create(inner, args[1], args[0])};
  })[0];
}

Value RecurrentTask::corrected(Value value, Value key, Value state, Value position) {
  Value known = applied(b, key, state, b.empty({1, columns}, element()));
  Value beta = op.getBeta();
  bool shared = cast<RankedTensorType>(beta.getType()).getDimSize(2) == 1;
  SmallVector<OpFoldResult> offsets = {batch, position, shared ? b.index(0) : head, b.getIndexAttr(0)};
  Value rate = b.slice(beta, offsets, {1, 1, 1, 1}, {2});
  return b.generic("pp", {{0}, {0, 1}, {0, 1}}, {rate, value}, known, [](TileBuilder &inner, ValueRange args) {
    Value missing = arith::SubFOp::create(inner, args[1], args[2]);
    return SmallVector<Value>{arith::MulFOp::create(inner, args[0], missing)};
  })[0];
}

/// Returns the state after `position`: the previous state, decayed if the op has a decay, plus key^T value. If the op
/// has a beta, the value is corrected first (`corrected`).
Value RecurrentTask::nextState(Value position, Value state) {
  Value key = ofHead(op.getKey(), position, b.getIndexAttr(0), size());
  Value update = ofHead(op.getValue(), position, firstColumn, columns);
  if (op.getDecay())
    state = decayed(state, position);
  if (op.getBeta())
    update = corrected(update, key, state, position);
  return addProducts(b, key, update, state);
}

Value RecurrentTask::results(Value position, Value state, Value into) {
  Value queries = at(op.getQuery(), position, b.mul(head, sharing), sharing, b.getIndexAttr(0), size());
  SmallVector<OpFoldResult> offsets = {position, b.getIndexAttr(0), b.getIndexAttr(0)};
  SmallVector<Extent> sizes = {1, sharing, columns};
  Value result = applied(b, queries, state, b.slice(into, offsets, sizes, {1, 2}));
  if (double scale = op.getScale().convertToDouble(); scale != 1.0)
    result = b.generic("pp", {{0, 1}}, {}, result, [scale](TileBuilder &inner, ValueRange args) {
      return SmallVector<Value>{arith::MulFOp::create(inner, args[0], inner.real(scale, args[0].getType()))};
    })[0];
  return b.insert(result, into, offsets, sizes);
}

/// Emits an error and fails if an operand has a dynamic or empty dimension, or elements of a type other than f32 and
/// f64.
static LogicalResult checkTypes(RecurrentAttentionOp op) {
  for (Value operand : op->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (!type.hasStaticShape())
      return op.emitError("cannot lower recurrent attention on ") << type << ": its shape must be static";
    if (!type.getElementType().isF32() && !type.getElementType().isF64())
      return op.emitError("cannot lower recurrent attention on elements of type ")
             << type.getElementType() << ": only f32 and f64 are supported";
    if (type.getNumElements() == 0)
      return op.emitError("cannot lower recurrent attention with an empty dimension");
  }
  return success();
}

LogicalResult heddle::lowerRecurrentAttention(RewriterBase &rewriter, RecurrentAttentionOp op, int64_t columns) {
  if (failed(checkTypes(op)))
    return failure();
  rewriter.setInsertionPoint(op);
  TileBuilder b(op.getLoc(), rewriter);
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto lastState = cast<RankedTensorType>(op.getLastState().getType());
  int64_t heads = lastState.getDimSize(1);
  Sizes ranges(op);
  Extent positions = ranges.of(result.getDimSize(1));
  SmallVector<OpFoldResult> counts = {ranges.of(result.getDimSize(0)).emit(b, b.getLoc()), b.getIndexAttr(heads),
                                      b.getIndexAttr(result.getDimSize(3) / columns)};
  // A state that the kernel may write to is updated in place.
  bool isInPlace = op.getState() && isDestination(op.getState());
  SmallVector<Value> outputs = {isInPlace ? Value(op.getState())
                                          : b.empty(lastState.getShape(), lastState.getElementType())};
  // A result without users is not computed, since it would become a buffer in each task.
  bool hasResult = !op.getResult().use_empty();
  if (hasResult)
    outputs.push_back(b.empty(result.getShape(), result.getElementType()));
  auto forall = scf::ForallOp::create(b, counts, outputs, /*mapping=*/std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  SmallVector<Value> task = forall.getInductionVars();
  Value before = isInPlace ? Value(forall.getRegionIterArgs()[0]) : Value(op.getState());
  RecurrentTask it{b, op, before, task[0], task[1], b.mul(task[2], columns), columns, result.getDimSize(2) / heads};
  SmallVector<OpFoldResult> offsets = {it.batch, b.getIndexAttr(0), b.mul(it.head, it.sharing), it.firstColumn};
  SmallVector<Extent> sizes = {1, positions, it.sharing, columns};
  SmallVector<Value> carried = {it.initialState()};
  if (hasResult)
    carried.push_back(b.slice(forall.getRegionIterArgs()[1], offsets, sizes, {1, 2, 3}));
  auto loop = scf::ForOp::create(b, b.index(0), b.index(positions), b.index(1), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange before = loop.getRegionIterArgs();
    SmallVector<Value> after = {it.nextState(loop.getInductionVar(), before[0])};
    if (hasResult)
      after.push_back(it.results(loop.getInductionVar(), after[0], before[1]));
    scf::YieldOp::create(b, after);
  }
  SmallVector<OpFoldResult> stateOffsets = it.stateOffsets();
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  b.insertInParallel(loop.getResult(0), forall.getRegionIterArgs()[0], stateOffsets, it.stateSizes());
  if (hasResult)
    b.insertInParallel(loop.getResult(1), forall.getRegionIterArgs()[1], offsets, sizes);
  rewriter.replaceAllUsesWith(op.getLastState(), forall.getResult(0));
  if (hasResult)
    rewriter.replaceAllUsesWith(op.getResult(), forall.getResult(1));
  rewriter.eraseOp(op);
  return success();
}
