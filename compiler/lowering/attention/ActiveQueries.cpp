//===- ActiveQueries.cpp - attention with inactive queries ----------------===//

#include "ActiveQueries.h"
#include "MaskBytes.h"
#include "QueryLanes.h"

#include "heddle/RowSelect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

ActiveQueries ActiveQueries::take(TileBuilder &b, RewriterBase &rewriter, AttentionOp op) {
  ActiveQueries active;
  if (op.getWithWeights() || !op.getResult().hasOneUse())
    return active;
  std::optional<RowSelect> found = matchRowSelect(*op.getResult().user_begin());
  if (!found || !selectsRows(op, *found))
    return active;
  active.select = found->op;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(found->op);
  Value flags = found->active->get();
  if (!getElementTypeOrSelf(flags.getType()).isInteger(8))
    flags = maskBytes(b, flags);
  AttentionOp::Extents sizes = op.getSizes();
  if (cast<RankedTensorType>(flags.getType()).getRank() == 1)
    flags = tensor::ExpandShapeOp::create(b, RankedTensorType::get({sizes.batch, sizes.queries}, b.getI8Type()), flags,
                                          ArrayRef<ReassociationIndices>{{0, 1}});
  active.flags = flags;
  rewriter.moveOpBefore(op, found->op);
  return active;
}

scf::IfOp ActiveQueries::emitIfAny(TileBuilder &b, const TaskQueries &queries, Type type) const {
  Value none = arith::ConstantIntOp::create(b, b.getI8Type(), 0);
  auto loop = scf::ForOp::create(b, b.index(0), b.index(queries.count), b.index(1), none);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value query = b.add(queries.firstQuery, loop.getInductionVar());
    Value flag = tensor::ExtractOp::create(b, flags, ValueRange{queries.batch, query});
    scf::YieldOp::create(b, Value(arith::OrIOp::create(b, loop.getRegionIterArg(0), flag)));
  }
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loop.getResult(0), none);
  auto choice = scf::IfOp::create(b, type, any, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  return choice;
}

Value ActiveQueries::emitElseZeros(TileBuilder &b, scf::IfOp choice, Value tile, Value place) {
  scf::YieldOp::create(b, tile);
  b.setInsertionPointToStart(choice.elseBlock());
  Value zero = b.real(0.0, getElementTypeOrSelf(place));
  scf::YieldOp::create(b, linalg::FillOp::create(b, zero, place).getResult(0));
  b.setInsertionPointAfter(choice);
  return choice.getResult(0);
}

Value ActiveQueries::emitWithoutInactive(TileBuilder &b, const TaskQueries &queries, Value numbers) const {
  SmallVector<OpFoldResult> origin = {b.getIndexAttr(0)};
  SmallVector<OpFoldResult> first = {queries.batch, queries.firstQuery};
  Value of = !queries.count.isFixed() ? QueryLanes{queries.count, queries.lanes}.emitElements(b, flags, first, 1)
                                      : b.slice(flags, first, {1, queries.rows}, {1});
  Value part = b.generic("p", {{0}, {0}}, of, b.slice(numbers, origin, {queries.rows}, {0}),
                         [&](TileBuilder &inner, ValueRange args) {
                           Value none = arith::ConstantIntOp::create(inner, inner.getI8Type(), 0);
                           Value isActive = arith::CmpIOp::create(inner, arith::CmpIPredicate::ne, args[0], none);
                           return SmallVector<Value>{
                               arith::SelectOp::create(inner, isActive, args[1], inner.real(0.0, args[1].getType()))};
                         })[0];
  return b.insert(part, numbers, origin, {queries.rows});
}
