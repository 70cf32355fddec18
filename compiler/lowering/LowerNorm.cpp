//===- LowerNorm.cpp - transform.heddle.lower_norm ------------------------===//

#include "ActiveRows.h"
#include "RowLayers.h"
#include "RowOps.h"
#include "TransformOps.h"

using namespace mlir;
using namespace heddle;

/// Replaces a norm, and the row select that reads its result if there is one, by tasks with tiles of `step` rows. With
/// `apart`, each tile is a task. With `streams`, inputs and results are larger than the caches.
static void lowerNorm(RewriterBase &b, Operation *norm, const NormLayer &layer, int64_t step, bool apart,
                      bool streams) {
  Location loc = norm->getLoc();
  auto type = cast<RankedTensorType>(layer.result.getType());
  Type element = type.getElementType();
  int64_t columns = type.getShape().back();
  SmallVector<int64_t> shape = {type.getNumElements() / columns, columns};
  std::optional<ActiveRows> active = findActiveRows(b, layer.result);
  Value input = emitReshape(b, loc, layer.input, shape);
  Value residual = layer.residual ? emitReshape(b, loc, layer.residual, shape) : Value();
  Value dest = emitDestination(b, active ? active->result() : layer.result, RankedTensorType::get(shape, element));
  dest = emitRowTasks(b, loc, dest, step, apart, [&](OpBuilder &inner, OpFoldResult row, int64_t count, Value target) {
    OpFoldResult zero = inner.getIndexAttr(0);
    Value x = emitSlice(inner, loc, input, {row, zero}, {count, columns});
    Value addend = residual ? emitSlice(inner, loc, residual, {row, zero}, {count, columns}) : Value();
    auto compute = [&](OpBuilder &body, Value flags) {
      return emitNormTile(body, loc, layer, {x, addend, flags, target, columns, streams},
                          [&](double value) { return emitFilled(body, loc, count, element, value); });
    };
    return active ? emitIfActive(inner, loc, active->flags, row, count, target, compute) : compute(inner, Value());
  });
  if (active)
    replaceSelected(b, norm, *active, dest);
  else
    b.replaceOp(norm, emitReshape(b, loc, dest, type.getShape()));
}

DiagnosedSilenceableFailure transforms::LowerNormOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                Operation *target, transform::TransformState &state) {
  FailureOr<int64_t> rows = getInteger(state, getRows());
  if (failed(rows) || *rows <= 0)
    return emitDefiniteFailure("expects a positive integer as rows");
  if (!llvm::all_of(target->getOperandTypes(), [](Type t) { return cast<ShapedType>(t).hasStaticShape(); }))
    return emitDefiniteFailure("expects static shapes, found ") << target->getOperandTypes();
  if (getStreams())
    requestStreaming(target);
  std::optional<NormLayer> layer = NormLayer::of(target);
  if (!layer)
    return emitDefiniteFailure("expects heddle.layer_norm or heddle.rms_norm as target, found ") << target->getName();
  lowerNorm(rewriter, target, *layer, *rows, getApart(), getStreams());
  return DiagnosedSilenceableFailure::success();
}
