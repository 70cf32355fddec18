//===- AttentionPadding.cpp - inactive queries and masked keys ------------===//
//
// A query is inactive if a row select (RowSelect.h) replaces its row of the
// result by zeros. A block of queries is not computed if all of them are
// inactive. If the mask is the same for all heads and queries, only the keys
// from the first to the last key that it keeps are read in each batch entry
// (AttentionPlan::skipsMaskedEnds).
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "MaskBytes.h"

#include "heddle/RowSelect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// If a row select is the only user of the op's result, records the select, so that both are lowered together. Moves
/// the op after the definition of the activity mask, and converts this mask to i8 [batch, queries]. Does nothing with
/// `inRows` (keys in vector lanes), or if attention probabilities are a result: all queries are computed, and the
/// select remains.
void AttentionEmitter::takeSelect() {
  if (tiles.inRows || op.getWithWeights() || !op.getResult().hasOneUse())
    return;
  std::optional<RowSelect> found = matchRowSelect(*op.getResult().user_begin());
  if (!found || !selectsRows(op, *found))
    return;
  select = found->op;
  b.setInsertionPoint(select);
  Value flags = found->active->get();
  if (!getElementTypeOrSelf(flags.getType()).isInteger(8))
    flags = maskBytes(b, flags);
  if (cast<RankedTensorType>(flags.getType()).getRank() == 1)
    flags = tensor::ExpandShapeOp::create(b, RankedTensorType::get({batch.inTypes(), queries.inTypes()}, b.getI8Type()),
                                          flags, ArrayRef<ReassociationIndices>{{0, 1}});
  active = flags;
  rewriter.moveOpBefore(op, select);
}

/// Emits an scf.if with a result of type `type`, whose then-block runs if one of the task's queries is active. Moves
/// the insertion point into this block.
scf::IfOp AttentionEmitter::ifActive(Task &task, Type type) {
  Value none = arith::ConstantIntOp::create(b, b.getI8Type(), 0);
  auto loop = scf::ForOp::create(b, b.index(0), b.index(task.queries), b.index(1), none);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value query = b.add(task.firstQuery, loop.getInductionVar());
    Value flag = tensor::ExtractOp::create(b, active, ValueRange{task.batch, query});
    scf::YieldOp::create(b, Value(arith::OrIOp::create(b, loop.getRegionIterArg(0), flag)));
  }
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loop.getResult(0), none);
  auto choice = scf::IfOp::create(b, type, any, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  return choice;
}

/// Yields `tile` from the then-block of `choice`, and `place` filled with zeros from the else-block. Returns the result
/// of `choice`.
Value AttentionEmitter::elseZeros(scf::IfOp choice, Value tile, Value place) {
  scf::YieldOp::create(b, tile);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, linalg::FillOp::create(b, b.real(0.0, element), place).getResult(0));
  b.setInsertionPointAfter(choice);
  return choice.getResult(0);
}

/// Replaces the elements of `inverse` (1 / sum of exponentials, [lanes]) by 0 for inactive queries.
Value AttentionEmitter::withoutInactive(Task &task, Value inverse) {
  int64_t rows = task.blocks.rows;
  SmallVector<OpFoldResult> origin = {b.getIndexAttr(0)};
  SmallVector<OpFoldResult> first = {task.batch, task.firstQuery};
  Value flags =
      !task.queries.isFixed() ? queryElements(task, active, first, 1) : b.slice(active, first, {1, rows}, {1});
  Value part = b.generic(
      "p", {{0}, {0}}, flags, b.slice(inverse, origin, {rows}, {0}), [&](TileBuilder &inner, ValueRange args) {
        Value none = arith::ConstantIntOp::create(inner, inner.getI8Type(), 0);
        Value isActive = arith::CmpIOp::create(inner, arith::CmpIPredicate::ne, args[0], none);
        return SmallVector<Value>{arith::SelectOp::create(inner, isActive, args[1], inner.real(0.0, element))};
      })[0];
  return b.insert(part, inverse, origin, {rows});
}

/// Emits code that finds, for each batch entry, the range of keys to read: from the first key that the mask keeps to
/// the last one. The end of the range is the index after the last key. If the mask keeps no key, the range consists of
/// all keys.
void AttentionEmitter::findMaskedEnds() {
  if (!plan.skipsMaskedEnds)
    return;
  int64_t entries = cast<RankedTensorType>(mask.getType()).getDimSize(0);
  Value zero = b.index(0), one = b.index(1), all = b.index(keys);
  SmallVector<Value> ends(2, b.empty({batch.inTypes()}, b.getIndexType()));
  ends[1] = b.empty({batch.inTypes()}, b.getIndexType());
  auto outer = scf::ForOp::create(b, zero, b.index(batch.inTypes()), one, ends);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(outer.getBody());
  Value entry = entries == 1 ? zero : outer.getInductionVar();
  auto inner = scf::ForOp::create(b, zero, all, one, ValueRange{all, zero});
  {
    OpBuilder::InsertionGuard innerGuard(b);
    b.setInsertionPointToStart(inner.getBody());
    Value key = inner.getInductionVar();
    Value flag = tensor::ExtractOp::create(b, mask, ValueRange{entry, zero, zero, key});
    Value none = arith::ConstantIntOp::create(b, b.getI8Type(), 0);
    Value kept = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, flag, none);
    Value first = b.min(inner.getRegionIterArg(0), key), end = b.add(key, one);
    first = arith::SelectOp::create(b, kept, first, inner.getRegionIterArg(0));
    end = arith::SelectOp::create(b, kept, end, inner.getRegionIterArg(1));
    scf::YieldOp::create(b, ValueRange{first, end});
  }
  Value isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inner.getResult(1), zero);
  Value first = arith::SelectOp::create(b, isEmpty, zero, inner.getResult(0));
  Value end = arith::SelectOp::create(b, isEmpty, all, inner.getResult(1));
  ValueRange into = outer.getRegionIterArgs();
  Value firsts = tensor::InsertOp::create(b, first, into[0], outer.getInductionVar());
  Value behind = tensor::InsertOp::create(b, end, into[1], outer.getInductionVar());
  scf::YieldOp::create(b, ValueRange{firsts, behind});
  firstUnmaskedKey = outer.getResult(0);
  endUnmaskedKey = outer.getResult(1);
}
