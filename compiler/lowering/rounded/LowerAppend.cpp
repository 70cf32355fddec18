//===- LowerAppend.cpp - transform.heddle.lower_append --------------------===//

#include "Emit.h"
#include "RoundedRows.h"
#include "TileBuilder.h"
#include "TransformOps.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The task of one head of one sequence. The task writes the new rows to this head's part of the state, [C,D], one by
/// one; C is the capacity, and D is the length of a row. If the state has scales, [C,1], the task also writes the
/// scales of the new rows.
struct AppendTask {
  TileBuilder &b;
  SmallVector<Value> head; // indices of batch and head

  /// Emits a loop that runs `change` on `count` rows, and returns the final tiles. `change` gets the row's number, the
  /// row's offsets in the head's part of the state, and the carried tiles, and returns the changed tiles. In the head's
  /// part of the state, the rows begin at `first` (null: 0).
  using Change = llvm::function_ref<SmallVector<Value>(Value row, ArrayRef<OpFoldResult> place, ValueRange tiles)>;
  SmallVector<Value> forEachRow(const Extent &count, Value first, ValueRange tiles, Change change);

  /// Returns row `row` of the task's head in `from` [B,H,S,D] as a tensor with only those dimensions of `from` that
  /// `keep` lists.
  Value rowOf(Value from, Value row, ArrayRef<unsigned> keep);
  /// Copies the row to `place` in `into`, and converts its elements.
  Value copyRow(Value from, Value row, ArrayRef<OpFoldResult> place, Value into);
  /// Rounds the row to integers, and writes these to `into` and their scale to `scales`.
  SmallVector<Value> roundRow(Value from, Value row, ArrayRef<OpFoldResult> place, Value into, Value scales);
};
} // namespace

/// Returns the number of elements of a row.
static int64_t rowSize(Value rows) { return cast<RankedTensorType>(rows.getType()).getShape().back(); }

SmallVector<Value> AppendTask::forEachRow(const Extent &count, Value first, ValueRange tiles, Change change) {
  auto loop = scf::ForOp::create(b, b.index(0), b.index(count), b.index(1), tiles);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  SmallVector<OpFoldResult> place = {first ? b.add(first, row) : row, b.getIndexAttr(0)};
  scf::YieldOp::create(b, change(row, place, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

Value AppendTask::rowOf(Value from, Value row, ArrayRef<unsigned> keep) {
  return b.slice(from, {head[0], head[1], row, b.getIndexAttr(0)}, {1, 1, 1, rowSize(from)}, keep);
}

Value AppendTask::copyRow(Value from, Value row, ArrayRef<OpFoldResult> place, Value into) {
  int64_t size = rowSize(into);
  Value input = rowOf(from, row, {3}), output = b.slice(into, place, {1, size}, {1});
  Value copy = b.generic("p", {{0}, {0}}, input, output, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{inner.cast(args[0], args[1].getType())};
  })[0];
  return b.insert(copy, into, place, {1, size});
}

SmallVector<Value> AppendTask::roundRow(Value from, Value row, ArrayRef<OpFoldResult> place, Value into, Value scales) {
  int64_t size = rowSize(into);
  Value x = rowOf(from, row, {2, 3});
  if (Type f32 = b.getF32Type(); getElementTypeOrSelf(x) != f32)
    x = b.generic("pp", {{0, 1}, {0, 1}}, x, b.empty({1, size}, f32), [&](TileBuilder &inner, ValueRange args) {
      return SmallVector<Value>{inner.cast(args[0], f32)};
    })[0];
  RowNumbers numbers = {x, Value()};
  auto rounding = RowRoundingAttr::get(b.getContext(), b.getI8Type());
  RowScales rowScales = emitRowScales(b, b.getLoc(), numbers, rounding, {});
  Value integers = emitIntegers(b, b.getLoc(), numbers, rowScales, StoredIntegers(rounding, /*shift=*/0),
                                b.slice(into, place, {1, size}, {0, 1}));
  Value scale = linalg::CopyOp::create(b, rowScales.scale, b.slice(scales, place, {1, 1}, {0})).getResult(0);
  return {b.insert(integers, into, place, {1, size}), b.insert(scale, scales, place, {1, 1})};
}

/// Replaces `op` by an scf.forall with a task for each head of each sequence.
static void lowerAppend(TileBuilder &b, AppendOp op, RewriterBase &rewriter) {
  RankedTensorType type = op.getState().getType();
  Sizes sizes(op);
  SmallVector<OpFoldResult> counts = {sizes.of(type.getDimSize(0)).emit(b, b.getLoc()),
                                      b.getIndexAttr(type.getDimSize(1))};
  Extent capacity = sizes.of(type.getDimSize(2)), rows = sizes.of(op.getInput().getType().getDimSize(2));
  SmallVector<Value> before = {op.getState()}, dests;
  if (op.getScales())
    before.push_back(op.getScales());
  // If the kernel may write to the state, rows that are not new are already in place. Otherwise, the whole state is
  // copied.
  for (auto [state, result] : llvm::zip_equal(before, op->getResults()))
    dests.push_back(isDestination(state) ? state
                                         : emitDestination(rewriter, result, cast<RankedTensorType>(state.getType())));
  auto forall = scf::ForallOp::create(b, counts, dests, /*mapping=*/std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  AppendTask task{b, llvm::to_vector_of<Value>(forall.getInductionVars())};
  SmallVector<OpFoldResult> offsets = {task.head[0], task.head[1], b.getIndexAttr(0), b.getIndexAttr(0)};
  auto whole = [&](Value rows) { return SmallVector<Extent>{1, 1, capacity, rowSize(rows)}; };
  Value first =
      arith::IndexCastOp::create(b, b.getIndexType(), tensor::ExtractOp::create(b, op.getPast(), task.head[0]));
  SmallVector<Value> tiles;
  for (auto [state, dest, shared] : llvm::zip_equal(before, dests, forall.getRegionIterArgs())) {
    Value tile = b.slice(shared, offsets, whole(shared), {2, 3});
    if (state != dest)
      tile = task.forEachRow(capacity, Value(), tile, [&, from = state](Value row, ArrayRef<OpFoldResult> place,
                                                                        ValueRange into) {
        return SmallVector<Value>{task.copyRow(from, row, place, into[0])};
      })[0];
    tiles.push_back(tile);
  }
  tiles = task.forEachRow(rows, first, tiles, [&](Value row, ArrayRef<OpFoldResult> place, ValueRange into) {
    if (op.getScales())
      return task.roundRow(op.getInput(), row, place, into[0], into[1]);
    return SmallVector<Value>{task.copyRow(op.getInput(), row, place, into[0])};
  });
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  for (auto [tile, shared] : llvm::zip_equal(tiles, forall.getRegionIterArgs()))
    b.insertInParallel(tile, shared, offsets, whole(shared));
  rewriter.replaceOp(op, forall.getResults());
}

/// Returns the element of the result at the indices `at`: an element of the input if its row is one of the `rows` new
/// rows, which begin at row `first`, and otherwise an element of the state.
static Value emitOldOrNew(TileBuilder &b, AppendOp op, ArrayRef<Value> at, Value first, const Extent &rows) {
  Value row = b.sub(at[2], first), end = b.add(first, b.index(rows));
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, predicate, x, y);
  };
  Value isNew = arith::AndIOp::create(b, compare(arith::CmpIPredicate::sge, at[2], first),
                                      compare(arith::CmpIPredicate::slt, at[2], end));
  auto choice = scf::IfOp::create(
      b, isNew,
      [&](OpBuilder &inner, Location loc) {
        TileBuilder tile(loc, inner);
        Value element = tensor::ExtractOp::create(tile, op.getInput(), ValueRange{at[0], at[1], row, at[3]});
        scf::YieldOp::create(tile, tile.cast(element, op.getState().getType().getElementType()));
      },
      [&](OpBuilder &inner, Location loc) {
        Value element = tensor::ExtractOp::create(inner, loc, op.getState(), at);
        scf::YieldOp::create(inner, loc, element);
      });
  return choice.getResult(0);
}

/// Replaces `op` by an scf.forall with an iteration for each new element, or, if the kernel may not write to the state,
/// for each element of the state.
static void lowerElements(TileBuilder &b, AppendOp op, RewriterBase &rewriter) {
  RankedTensorType type = op.getState().getType();
  Sizes sizes(op);
  bool isInPlace = isDestination(op.getState());
  Value dest = isInPlace ? Value(op.getState()) : emitDestination(rewriter, op->getResult(0), type);
  Extent rows = sizes.of(op.getInput().getType().getDimSize(2));
  Extent counted = isInPlace ? rows : sizes.of(type.getDimSize(2));
  SmallVector<OpFoldResult> counts = {sizes.of(type.getDimSize(0)).emit(b, b.getLoc()),
                                      b.getIndexAttr(type.getDimSize(1)), counted.emit(b, b.getLoc()),
                                      b.getIndexAttr(type.getDimSize(3))};
  auto forall = scf::ForallOp::create(b, counts, dest, /*mapping=*/std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  SmallVector<Value> at(forall.getInductionVars());
  Value first = arith::IndexCastOp::create(b, b.getIndexType(), tensor::ExtractOp::create(b, op.getPast(), at[0]));
  Value shared = forall.getRegionIterArgs()[0];
  Value element;
  if (isInPlace) {
    element = b.cast(tensor::ExtractOp::create(b, op.getInput(), at), type.getElementType());
    at[2] = b.add(first, at[2]);
  } else {
    element = emitOldOrNew(b, op, at, first, rows);
  }
  SmallVector<OpFoldResult> place(at.begin(), at.end());
  SmallVector<Extent> one(4, Extent(1));
  Value tile = b.slice(shared, place, one, {});
  tile = tensor::InsertOp::create(b, element, tile, ValueRange());
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  b.insertInParallel(tile, shared, place, one);
  rewriter.replaceOp(op, forall.getResult(0));
}

DiagnosedSilenceableFailure transforms::LowerAppendOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                  Operation *target, transform::TransformState &) {
  auto op = dyn_cast<AppendOp>(target);
  if (!op)
    return emitDefiniteFailure("expects heddle.append as target, found ") << target->getName();
  for (Value operand : op->getOperands())
    if (!cast<RankedTensorType>(operand.getType()).hasStaticShape())
      return emitDefiniteFailure("expects static shapes, found ") << operand.getType();
  rewriter.setInsertionPoint(op);
  if (getElements() && op.getScales())
    return emitDefiniteFailure("cannot write the rows element by element, because they have scales");
  TileBuilder b(op.getLoc(), rewriter);
  if (getElements())
    lowerElements(b, op, rewriter);
  else
    lowerAppend(b, op, rewriter);
  return DiagnosedSilenceableFailure::success();
}
