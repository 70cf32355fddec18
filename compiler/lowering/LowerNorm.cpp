//===- LowerNorm.cpp - transform.heddle.lower_norm ------------------------===//

#include "ActiveRows.h"
#include "RowOps.h"
#include "TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Lowers heddle.layer_norm, or heddle.rms_norm, which subtracts no mean and has no bias.
struct NormLowering {
  RewriterBase &b;
  Location loc;
  Value result, input, scale, bias, residual; // scale, bias and residual may be null
  double epsilon;
  // Whether the mean is subtracted, and whether inputs and results are larger than the caches.
  bool centred, streams;

  int64_t columns = 0;
  Type element = {};

  /// Returns sum / columns. The division rounds once; a product with the rounded 1 / columns would add a second error.
  Value meanOf(OpBuilder &body, Value sum) {
    return arith::DivFOp::create(body, loc, sum, emitFloat(body, loc, element, double(columns)));
  }
  Value square(OpBuilder &body, Value x) { return arith::MulFOp::create(body, loc, x, x); }
  /// Returns an element plus its residual and, if `sum` is not null, minus the mean of its row.
  Value term(OpBuilder &body, ValueRange arguments, Value sum);
  /// Emits the norm of the rows `x` into `target`. `addend` is the residual of these rows, and `flags` is their
  /// activity mask; both may be null.
  Value tile(OpBuilder &inner, Value x, Value addend, Value flags, Value target);
  /// Replaces `norm`, and the row select that reads its result if there is one, by tasks with tiles of `rows` rows.
  /// With `apart`, each tile is a task.
  void run(RewriterBase &rewriter, Operation *norm, int64_t rows, bool apart);
};
} // namespace

Value NormLowering::term(OpBuilder &body, ValueRange arguments, Value sum) {
  Value x = arguments[0];
  if (residual)
    x = arith::AddFOp::create(body, loc, x, arguments[1]);
  if (!sum)
    return x;
  Value mean = meanOf(body, sum);
  return arith::SubFOp::create(body, loc, x, mean);
}

Value NormLowering::tile(OpBuilder &inner, Value x, Value addend, Value flags, Value target) {
  int64_t rows = cast<RankedTensorType>(x.getType()).getDimSize(0);
  SmallVector<RowInput> inputs = {{x, RowAccess::Tile}};
  if (addend)
    inputs.push_back({addend, RowAccess::Tile});
  unsigned sumAt = inputs.size();
  auto add = [&](OpBuilder &body, Value left, Value right) -> Value {
    return arith::AddFOp::create(body, loc, left, right);
  };
  // Sums start from -0.0: an addition to -0.0 changes no number, so it can be folded.
  auto zeros = [&]() -> RowInput { return {emitFilled(inner, loc, rows, element, -0.0), RowAccess::Row}; };
  if (centred) {
    Value sum = emitRowOp(inner, loc, inputs, zeros(), [&](OpBuilder &body, ValueRange arguments) {
      return SmallVector<Value>{add(body, arguments.back(), term(body, arguments, Value()))};
    })[0];
    if (streams)
      emitRowByRow(sum);
    inputs.push_back({sum, RowAccess::Row});
  }
  auto sumOf = [&](ValueRange arguments) { return centred ? arguments[sumAt] : Value(); };
  Value squares = emitRowOp(inner, loc, inputs, zeros(), [&](OpBuilder &body, ValueRange arguments) {
    return SmallVector<Value>{add(body, arguments.back(), square(body, term(body, arguments, sumOf(arguments))))};
  })[0];
  if (streams)
    emitRowByRow(squares);
  unsigned squaresAt = inputs.size();
  inputs.push_back({squares, RowAccess::Row});
  if (scale)
    inputs.push_back({scale, RowAccess::Column});
  if (bias)
    inputs.push_back({bias, RowAccess::Column});
  unsigned flagsAt = inputs.size();
  if (flags)
    inputs.push_back({flags, RowAccess::Row});
  return emitRowOp(inner, loc, inputs, {{target, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
    Value mean = meanOf(body, arguments[squaresAt]);
    Value root = math::SqrtOp::create(body, loc, add(body, mean, emitFloat(body, loc, element, epsilon)));
    Value factor = arith::DivFOp::create(body, loc, emitFloat(body, loc, element, 1.0), root);
    Value y = arith::MulFOp::create(body, loc, term(body, arguments, sumOf(arguments)), factor);
    if (scale)
      y = arith::MulFOp::create(body, loc, y, arguments[squaresAt + 1]);
    if (bias)
      y = add(body, y, arguments[squaresAt + (scale ? 2 : 1)]);
    if (flags)
      y = emitKept(body, loc, arguments[flagsAt], y);
    return SmallVector<Value>{y};
  })[0];
}

void NormLowering::run(RewriterBase &rewriter, Operation *norm, int64_t rows, bool apart) {
  auto type = cast<RankedTensorType>(result.getType());
  element = type.getElementType();
  columns = type.getShape().back();
  SmallVector<int64_t> shape = {type.getNumElements() / columns, columns};
  std::optional<ActiveRows> active = findActiveRows(rewriter, result);
  input = emitReshape(b, loc, input, shape);
  if (residual)
    residual = emitReshape(b, loc, residual, shape);
  Value dest =
      emitDestination(rewriter, active ? active->result() : result, RankedTensorType::get(shape, element));
  dest = emitRowTasks(b, loc, dest, rows, apart, [&](OpBuilder &inner, OpFoldResult row, int64_t count, Value target) {
    OpFoldResult zero = inner.getIndexAttr(0);
    Value x = emitSlice(inner, loc, input, {row, zero}, {count, columns});
    Value addend = residual ? emitSlice(inner, loc, residual, {row, zero}, {count, columns}) : Value();
    auto compute = [&](OpBuilder &tileBuilder, Value flags) { return tile(tileBuilder, x, addend, flags, target); };
    return active ? emitIfActive(inner, loc, active->flags, row, count, target, compute) : compute(inner, Value());
  });
  if (active)
    replaceSelected(rewriter, norm, *active, dest);
  else
    rewriter.replaceOp(norm, emitReshape(b, loc, dest, type.getShape()));
}

DiagnosedSilenceableFailure transforms::LowerNormOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                Operation *target, transform::TransformState &state) {
  FailureOr<int64_t> rows = getInteger(state, getRows());
  if (failed(rows) || *rows <= 0)
    return emitDefiniteFailure("expects a positive integer as rows");
  Location loc = target->getLoc();
  if (!llvm::all_of(target->getOperandTypes(), [](Type t) { return cast<ShapedType>(t).hasStaticShape(); }))
    return emitDefiniteFailure("expects static shapes");
  bool streams = getStreams();
  if (streams)
    requestStreaming(target);
  std::optional<NormLowering> lowering;
  if (auto norm = dyn_cast<LayerNormOp>(target))
    lowering.emplace(NormLowering{rewriter,           loc,          norm.getResult(),   norm.getInput(),
                            norm.getScale(),    norm.getBias(), norm.getResidual(), norm.getEpsilon().convertToDouble(),
                            /*centred=*/true, streams});
  else if (auto norm = dyn_cast<RmsNormOp>(target))
    lowering.emplace(NormLowering{rewriter,        loc,     norm.getResult(),   norm.getInput(),
                            norm.getScale(), Value(), norm.getResidual(), norm.getEpsilon().convertToDouble(),
                            /*centred=*/false, streams});
  else
    return emitDefiniteFailure("expects heddle.layer_norm or heddle.rms_norm as target, found ") << target->getName();
  lowering->run(rewriter, target, *rows, getApart());
  return DiagnosedSilenceableFailure::success();
}
