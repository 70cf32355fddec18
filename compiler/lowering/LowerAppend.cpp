//===- LowerAppend.cpp - transform.heddle.lower_append --------------------===//

#include "Emit.h"
#include "TileBuilder.h"
#include "TransformOps.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The rows of one head, [C,D], one after the other.
struct AppendTask {
  TileBuilder &b;
  Type element;
  int64_t size;
  SmallVector<Value> head; // batch and head

  /// `count` rows of `from` [B,H,..,D] go to rows of `into` from `first` on, null for 0.
  Value copyRows(Value from, const Extent &count, Value first, Value into);
};
} // namespace

Value AppendTask::copyRows(Value from, const Extent &count, Value first, Value into) {
  auto loop = scf::ForOp::create(b, b.index(0), b.index(count), b.index(1), into);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(), rows = loop.getRegionIterArg(0);
  SmallVector<OpFoldResult> place = {first ? b.add(first, row) : row, b.getIndexAttr(0)};
  Value input = b.slice(from, {head[0], head[1], row, b.getIndexAttr(0)}, {1, 1, 1, size}, {3});
  Value output = b.slice(rows, place, {1, size}, {1});
  Value copy = b.generic("p", {{0}, {0}}, input, output, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{inner.cast(args[0], element)};
  })[0];
  scf::YieldOp::create(b, b.insert(copy, rows, place, {1, size}));
  return loop.getResult(0);
}

static void lowerAppend(TileBuilder &b, AppendOp op, RewriterBase &rewriter) {
  RankedTensorType type = op.getState().getType();
  Sizes sizes(op);
  SmallVector<OpFoldResult> counts = {sizes.of(type.getDimSize(0)).emit(b, b.getLoc()),
                                      b.getIndexAttr(type.getDimSize(1))};
  Extent capacity = sizes.of(type.getDimSize(2)), rows = sizes.of(op.getInput().getType().getDimSize(2));
  // A state of the caller's holds what was there before; else all of it is copied.
  bool isInPlace = isDestination(op.getState());
  Value dest = isInPlace ? Value(op.getState()) : emitDestination(rewriter, op.getResult(), type);
  auto forall = scf::ForallOp::create(b, counts, dest, /*mapping=*/std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  AppendTask task{b, type.getElementType(), type.getDimSize(3), llvm::to_vector_of<Value>(forall.getInductionVars())};
  SmallVector<OpFoldResult> offsets = {task.head[0], task.head[1], b.getIndexAttr(0), b.getIndexAttr(0)};
  SmallVector<Extent> whole = {1, 1, capacity, type.getDimSize(3)};
  Value first =
      arith::IndexCastOp::create(b, b.getIndexType(), tensor::ExtractOp::create(b, op.getPast(), task.head[0]));
  Value tile = b.slice(forall.getRegionIterArgs()[0], offsets, whole, {2, 3});
  if (!isInPlace)
    tile = task.copyRows(op.getState(), capacity, Value(), tile);
  tile = task.copyRows(op.getInput(), rows, first, tile);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  b.insertInParallel(tile, forall.getRegionIterArgs()[0], offsets, whole);
  rewriter.replaceOp(op, forall.getResult(0));
}

DiagnosedSilenceableFailure transforms::LowerAppendOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                  Operation *target, transform::TransformState &) {
  auto op = dyn_cast<AppendOp>(target);
  if (!op)
    return emitDefiniteFailure("lowers heddle.append, found ") << target->getName();
  for (Value operand : op->getOperands())
    if (!cast<RankedTensorType>(operand.getType()).hasStaticShape())
      return emitDefiniteFailure("expects static shapes, found ") << operand.getType();
  rewriter.setInsertionPoint(op);
  TileBuilder b(op.getLoc(), rewriter);
  lowerAppend(b, op, rewriter);
  return DiagnosedSilenceableFailure::success();
}
