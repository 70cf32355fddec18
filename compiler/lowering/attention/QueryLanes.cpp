//===- QueryLanes.cpp - queries in lanes, counted at run time -------------===//

#include "QueryLanes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

Value QueryLanes::emitRows(TileBuilder &b, Value from, ArrayRef<OpFoldResult> first, unsigned queryAt,
                           unsigned columnAt, const Extent &used, int64_t columns, TileBuilder::Body change) const {
  Type type = cast<RankedTensorType>(from.getType()).getElementType();
  Value last = b.sub(b.index(count), b.index(1)), position = b.index(first[queryAt]);
  auto loop = scf::ForOp::create(b, b.index(0), b.index(lanes), b.index(1), b.empty({lanes, columns}, type));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<OpFoldResult> offsets(first);
  SmallVector<Extent> sizes(first.size(), 1);
  offsets[queryAt] = b.add(position, b.min(loop.getInductionVar(), last));
  sizes[columnAt] = used;
  SmallVector<OpFoldResult> at = {loop.getInductionVar(), b.getIndexAttr(0)};
  SmallVector<Extent> part = {1, used};
  Value line = b.slice(loop.getRegionIterArg(0), at, part, {1});
  line = b.generic("p", {{0}, {0}}, b.slice(from, offsets, sizes, {columnAt}), line, change)[0];
  scf::YieldOp::create(b, b.insert(line, loop.getRegionIterArg(0), at, part));
  return loop.getResult(0);
}

Value QueryLanes::emitElements(TileBuilder &b, Value from, ArrayRef<OpFoldResult> first, unsigned queryAt) const {
  Type type = cast<RankedTensorType>(from.getType()).getElementType();
  Value last = b.sub(b.index(count), b.index(1)), position = b.index(first[queryAt]);
  auto loop = scf::ForOp::create(b, b.index(0), b.index(lanes), b.index(1), b.empty({lanes}, type));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at = llvm::map_to_vector(first, [&](OpFoldResult index) { return b.index(index); });
  at[queryAt] = b.add(position, b.min(loop.getInductionVar(), last));
  Value element = tensor::ExtractOp::create(b, from, at);
  Value filled = tensor::InsertOp::create(b, element, loop.getRegionIterArg(0), loop.getInductionVar());
  scf::YieldOp::create(b, filled);
  return loop.getResult(0);
}

Value QueryLanes::emitStored(TileBuilder &b, Value rows, const Extent &columns, Value target) const {
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  return b.generic("pp", {{0, 1}, {0, 1}}, b.slice(rows, origin, {count, columns}, {0, 1}), target,
                   TileBuilder::same)[0];
}

Value heddle::emitTransposed(TileBuilder &b, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  Value columns = b.empty({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return b.generic("pp", {{1, 0}, {0, 1}}, rows, columns, TileBuilder::same)[0];
}
