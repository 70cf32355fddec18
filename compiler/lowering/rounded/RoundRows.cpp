//===- RoundRows.cpp - transform.heddle.round_rows ------------------------===//

#include "RoundedRows.h"
#include "RowOps.h"
#include "TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Rounds x to the float type `narrow`, and stores the rounded values in the type of x, into `target`.
static Value emitFloats(OpBuilder &b, Location loc, Value x, Type narrow, Value target) {
  return emitRowOp(b, loc, {{x, RowAccess::Tile}}, {{target, RowAccess::Tile}},
                   [&](OpBuilder &body, ValueRange arguments) {
                     Value rounded = arith::TruncFOp::create(body, loc, narrow, arguments[0]);
                     return SmallVector<Value>{arith::ExtFOp::create(body, loc, arguments[0].getType(), rounded)};
                   })[0];
}

/// Writes x [rows, columns] to `target`: outlier channels unchanged, and all other columns rounded. `whole` is the
/// result of emitTensorScales.
static Value emitRoundedTile(OpBuilder &b, Location loc, Value x, RowRoundingAttr rounding,
                             const OutlierChannels &outliers, const RowScales &whole, Value target) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  if (rounding.isInteger()) {
    StoredIntegers integers(rounding, /*shift=*/0);
    auto block = [&](OpBuilder &inner, OpFoldResult at, int64_t size, Value carried) -> Value {
      SmallVector<OpFoldResult> place = {inner.getIndexAttr(0), at};
      RowNumbers part = {emitSlice(inner, loc, x, place, {rows, size}),
                         outliers.mask ? emitSlice(inner, loc, outliers.mask, at, size) : Value()};
      RowScales scales = emitRowScales(inner, loc, part, rounding, whole);
      Value out = emitSlice(inner, loc, carried, place, {rows, size});
      return emitInsert(inner, loc, emitIntegers(inner, loc, part, scales, integers, out), carried, place,
                        {rows, size});
    };
    target = emitRowLoop(b, loc, columns, rounding.getBlock() ? rounding.getBlock() : columns, target, block);
  } else {
    target = emitFloats(b, loc, x, rounding.getElement(), target);
  }
  auto index = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, loc, number); };
  for (int64_t i = 0; i < outliers.count(); ++i)
    for (int64_t row = 0; row < rows; ++row) {
      SmallVector<Value> at = {index(row), outliers.number(b, loc, i)};
      target = tensor::InsertOp::create(b, loc, tensor::ExtractOp::create(b, loc, x, at), target, at);
    }
  return target;
}

DiagnosedSilenceableFailure transforms::RoundRowsOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                Operation *target, transform::TransformState &) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear || !linear.getRounding())
    return emitDefiniteFailure("expects a heddle.linear with the attribute rounding, found ") << target->getName();
  auto type = cast<RankedTensorType>(linear.getInput().getType());
  if (!type.hasStaticShape())
    return emitDefiniteFailure("expects a static shape, found ") << type;
  if (std::string reason = whyNoOutliers(linear); !reason.empty())
    return emitDefiniteFailure(reason);
  Location loc = linear.getLoc();
  RowRoundingAttr rounding = *linear.getRounding();
  OutlierChannels outliers = takeOutlierChannels(rewriter, linear);
  int64_t k = type.getShape().back(), m = type.getNumElements() / k;
  Value input = emitReshape(rewriter, loc, linear.getInput(), {m, k});
  RowScales whole = emitTensorScales(rewriter, loc, {input, outliers.mask}, rounding);
  Value dest = tensor::EmptyOp::create(rewriter, loc, ArrayRef<int64_t>{m, k}, type.getElementType());
  dest = emitRowTasks(rewriter, loc, dest, rowsOfTile, /*apart=*/false,
                      [&](OpBuilder &inner, OpFoldResult row, int64_t rows, Value out) {
                        Value x = emitSlice(inner, loc, input, {row, inner.getIndexAttr(0)}, {rows, k});
                        return emitRoundedTile(inner, loc, x, rounding, outliers, whole, out);
                      });
  Value rounded = emitReshape(rewriter, loc, dest, type.getShape());
  rewriter.replaceOpWithNewOp<LinearOp>(linear, linear.getType(), rounded, linear.getWeight(), linear.getBias(),
                                        linear.getResidual(), linear.getActivationAttr(), RowRoundingAttr());
  return DiagnosedSilenceableFailure::success();
}
