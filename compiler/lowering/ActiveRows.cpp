//===- ActiveRows.cpp - layers that skip inactive rows --------------------===//
//
// A tile of rows is computed as a whole or not at all, so that there is only
// one branch per tile. An inactive row in a tile with an active row is
// computed, and its result is replaced by zeros.
//
//===----------------------------------------------------------------------===//

#include "ActiveRows.h"

#include "MaskBytes.h"

#include "ops/TensorViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Returns the product of all dimensions except the last.
static int64_t countRows(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() / type.getShape().back();
}

std::optional<ActiveRows> heddle::findActiveRows(RewriterBase &rewriter, Value result) {
  Value value = result;
  SmallVector<Operation *> moved = {result.getDefiningOp()};
  while (value.hasOneUse() && isReshape(*value.user_begin())) {
    moved.push_back(*value.user_begin());
    value = moved.back()->getResult(0);
  }
  std::optional<RowSelect> select = value.hasOneUse() ? matchRowSelect(*value.user_begin()) : std::nullopt;
  if (!select || select->value->get() != value)
    return std::nullopt;
  // The mask must have one element per row, in the order of the rows: its dimensions are the leading dimensions of
  // `value`. The reshapes between the layer and the select keep the order of rows.
  int64_t rows = 1;
  for (auto [number, dim] : llvm::enumerate(select->dims)) {
    if (dim != number)
      return std::nullopt;
    rows *= cast<RankedTensorType>(value.getType()).getDimSize(dim);
  }
  if (rows != countRows(result))
    return std::nullopt;
  rewriter.setInsertionPoint(select->op);
  Value flags = select->active->get();
  TileBuilder builder(result.getLoc(), rewriter);
  if (!getElementTypeOrSelf(flags.getType()).isInteger(8))
    flags = maskBytes(builder, flags);
  flags = emitReshape(rewriter, result.getLoc(), flags, {rows});
  for (Operation *op : moved)
    rewriter.moveOpBefore(op, select->op);
  rewriter.setInsertionPoint(moved.front());
  return ActiveRows{select->op, flags};
}

void heddle::replaceSelected(RewriterBase &rewriter, Operation *layer, ActiveRows active, Value rows) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(active.result().getType()).getShape();
  Value selected = matchRowSelect(active.select)->value->get();
  rewriter.replaceOp(active.select, emitReshape(rewriter, layer->getLoc(), rows, shape));
  for (Operation *op = selected.getDefiningOp(); op != layer;) {
    Operation *before = op->getOperand(0).getDefiningOp();
    rewriter.eraseOp(op);
    op = before;
  }
  rewriter.eraseOp(layer);
}

Value heddle::emitSelected(OpBuilder &b, Location loc, Value flags, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value rows = emitReshape(b, loc, value, {countRows(value), type.getShape().back()});
  return emitReshape(b, loc, buildRowSelect(b, loc, flags, {0}, rows).getResult(0), type.getShape());
}

Value heddle::emitKept(OpBuilder &body, Location loc, Value flag, Value x) {
  Value none = arith::ConstantOp::create(body, loc, body.getI8IntegerAttr(0));
  Value isActive = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ne, flag, none);
  return arith::SelectOp::create(body, loc, isActive, x, emitFloat(body, loc, x.getType(), 0.0));
}

/// Fills a tile [rows, columns] with zeros. If the number of rows is known only at run time, a loop fills the rows.
static Value emitZeros(OpBuilder &b, Location loc, Value target) {
  auto type = cast<RankedTensorType>(target.getType());
  Value zero = emitFloat(b, loc, type.getElementType(), 0.0);
  if (type.hasStaticShape())
    return linalg::FillOp::create(b, loc, zero, target).getResult(0);
  Extent rows = tensor::getMixedSize(b, loc, target, 0);
  return emitRowLoop(b, loc, rows, 1, target, [&](OpBuilder &inner, OpFoldResult at, int64_t count, Value carried) {
    SmallVector<OpFoldResult> first = {at, inner.getIndexAttr(0)};
    SmallVector<int64_t> sizes = {count, type.getDimSize(1)};
    Value filled = linalg::FillOp::create(inner, loc, zero, emitSlice(inner, loc, carried, first, sizes)).getResult(0);
    return emitInsert(inner, loc, filled, carried, first, sizes);
  });
}

Value heddle::emitIfActive(OpBuilder &b, Location loc, Value flags, OpFoldResult row, int64_t count, Value target,
                           function_ref<Value(OpBuilder &, Value)> body) {
  Value any;
  for (int64_t i = 0; i < count; ++i) {
    Value at = getValueOrCreateConstantIndexOp(b, loc, emitAffine(b, loc, row, 1, i));
    Value flag = tensor::ExtractOp::create(b, loc, flags, at);
    any = any ? Value(arith::OrIOp::create(b, loc, any, flag)) : flag;
  }
  Value none = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  Value isActive = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, any, none);
  auto choice = scf::IfOp::create(b, loc, target.getType(), isActive, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, body(b, emitSlice(b, loc, flags, {row}, {count})));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, emitZeros(b, loc, target));
  return choice.getResult(0);
}
