//===- AnyRows.cpp - rows whose number only the call knows ----------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

ResultRange heddle::emitTaskParts(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> counts, ValueRange dests,
                                  function_ref<SmallVector<TaskPart>(OpBuilder &, ValueRange, ValueRange)> body) {
  SmallVector<OpFoldResult> from(counts.size(), b.getIndexAttr(0)), step(counts.size(), b.getIndexAttr(1));
  auto forall = scf::ForallOp::create(b, loc, from, counts, step, dests, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forall.getTerminator());
  SmallVector<TaskPart> parts = body(b, forall.getInductionVars(), forall.getRegionOutArgs());
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [part, out] : llvm::zip_equal(parts, forall.getRegionOutArgs())) {
    SmallVector<OpFoldResult> ones(part.sizes.size(), b.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(b, loc, part.part, out, part.offsets, part.sizes, ones);
  }
  return forall.getResults();
}

Value heddle::emitTaskParts(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> counts, Value dest,
                            function_ref<TaskPart(OpBuilder &, ValueRange, Value)> body) {
  auto single = [&](OpBuilder &inner, ValueRange ivs, ValueRange outs) {
    return SmallVector<TaskPart>{body(inner, ivs, outs.front())};
  };
  return emitTaskParts(b, loc, counts, ValueRange(dest), single)[0];
}

Value heddle::emitAnyRows(OpBuilder &b, Location loc, Value rows, int64_t step, Value target,
                          function_ref<Value(OpBuilder &, OpFoldResult, int64_t, Value)> body) {
  auto constant = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  auto tiles = [&](OpBuilder &at) -> Value {
    Value last = arith::SubIOp::create(at, loc, rows, constant(at, step));
    auto loop = scf::ForOp::create(at, loc, constant(at, 0), rows, constant(at, step), target,
                                   [&](OpBuilder &inner, Location, Value row, ValueRange carried) {
                                     Value first = step == 1 ? row : arith::MinSIOp::create(inner, loc, row, last);
                                     Value next = body(inner, first, step, carried.front());
                                     scf::YieldOp::create(inner, loc, next);
                                   });
    return loop.getResult(0);
  };
  if (step == 1)
    return tiles(b);
  Value enough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rows, constant(b, step));
  auto choice = scf::IfOp::create(
      b, loc, enough, [&](OpBuilder &at, Location) { scf::YieldOp::create(at, loc, tiles(at)); },
      [&](OpBuilder &at, Location) {
        scf::YieldOp::create(at, loc, emitAnyRows(at, loc, rows, step / 2, target, body));
      });
  return choice.getResult(0);
}

RowShare heddle::emitShare(OpBuilder &b, Location loc, Value rows, int64_t unit, Value shares, Value number) {
  Value size = arith::ConstantIndexOp::create(b, loc, unit);
  Value units = arith::CeilDivUIOp::create(b, loc, rows, size);
  auto start = [&](Value which) -> Value {
    Value before = arith::DivUIOp::create(b, loc, arith::MulIOp::create(b, loc, which, units), shares);
    return arith::MulIOp::create(b, loc, before, size);
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value first = start(number), next = start(arith::AddIOp::create(b, loc, number, one));
  Value end = arith::MinUIOp::create(b, loc, next, rows);
  return {first, arith::SubIOp::create(b, loc, end, first)};
}
