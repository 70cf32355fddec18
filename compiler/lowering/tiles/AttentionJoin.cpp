//===- AttentionJoin.cpp - joins the parts of attention -------------------===//

#include "AttentionJoin.h"
#include "ChunkLoop.h"
#include "EvenParts.h"
#include "TileParts.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

OpFoldResult AttentionParts::emitFirstRow(OpBuilder &b, Location loc, int64_t groups, ValueRange at) const {
  AffineExpr batch = b.getAffineDimExpr(0), group = b.getAffineDimExpr(1), part = b.getAffineDimExpr(2);
  AffineMap map = AffineMap::get(3, 0, ((batch * groups + group) * most + part) * rows);
  return affine::makeComposedFoldedAffineApply(b, loc, map, {at[0], at[1], at[2]});
}

/// Emits column `column` of the result of a query: `query` consists of its batch entry, head and position.
Value AttentionJoin::emitElement(ValueRange query, Value column) {
  auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, loc, number); };
  Type element = getElementTypeOrSelf(parts.sums);
  Value zero = emitFloat(b, loc, element, 0.0), infinity = emitFloat(b, loc, element, -INFINITY);
  // The row of the query in the first part of its group.
  Value heads = constant(parts.heads);
  Value group = b.createOrFold<arith::DivUIOp>(loc, query[1], heads);
  Value headOfGroup = b.createOrFold<arith::RemUIOp>(loc, query[1], heads);
  Value above = b.createOrFold<arith::MulIOp>(loc, headOfGroup, operands.query.rows.emitValue(b, loc));
  Value rowOfGroup = b.createOrFold<arith::AddIOp>(loc, above, query[2]);
  OpFoldResult firstOfGroup =
      parts.emitFirstRow(b, loc, operands.query.heads / parts.heads, {query[0], group, constant(0)});
  Value firstRow = b.createOrFold<arith::AddIOp>(loc, getValueOrCreateConstantIndexOp(b, loc, firstOfGroup), rowOfGroup);

  auto loadEach = [&](Value tensor, ValueRange ofParts, Value columnOfRow = Value()) {
    return llvm::map_to_vector(ofParts, [&](Value part) -> Value {
      Value distance = b.createOrFold<arith::MulIOp>(loc, part, constant(parts.rows));
      SmallVector<Value> indices = {b.createOrFold<arith::AddIOp>(loc, firstRow, distance)};
      if (columnOfRow)
        indices.push_back(columnOfRow);
      return tensor::ExtractOp::create(b, loc, tensor, indices);
    });
  };
  auto joinMaxima = [&](OpBuilder &, ValueRange ofParts, ValueRange, ValueRange carried) {
    Value maximum = carried[0];
    for (Value other : loadEach(parts.largest, ofParts))
      maximum = arith::MaxNumFOp::create(b, loc, maximum, other);
    return SmallVector<Value>{maximum};
  };
  Value largest = forEachChunk(b, loc, parts.count, partsOfChunk, infinity, joinMaxima)[0];
  Value shift = score.emitShift(b, loc, largest);
  SmallVector<Value> joined =
      forEachChunk(b, loc, parts.count, partsOfChunk, {zero, zero},
                   [&](OpBuilder &, ValueRange ofParts, ValueRange exist, ValueRange carried) {
                     SmallVector<Value> maxima = loadEach(parts.largest, ofParts),
                                        totals = loadEach(parts.totals, ofParts),
                                        sums = loadEach(parts.sums, ofParts, column), next(carried);
                     for (auto [maximum, total, sum, exists] : llvm::zip(maxima, totals, sums, exist)) {
                       Value factor = score.emitWeight(b, loc, maximum, shift);
                       for (auto [value, addend] : llvm::zip(next, std::array{total, sum})) {
                         Value added = math::FmaOp::create(b, loc, factor, addend, value);
                         value = exists ? Value(arith::SelectOp::create(b, loc, exists, added, value)) : added;
                       }
                     }
                     return next;
                   });
  Value result = score.emitResult(b, loc, joined[1], score.emitInverse(b, loc, joined[0]));
  result = arith::AddFOp::create(b, loc, result, score.emitMark(b, loc, largest, joined[0]));
  AttentionRepair repair(b, op, score, operands);
  return repair.emitAgain(b, query[0], query[1], query[2], column, result);
}

Value AttentionJoin::emit(Value dest) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Extent counts[] = {Sizes(op).of(type.getDimSize(0)), operands.result.heads, operands.result.rows};
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  return emitTaskParts(b, loc, counts, dest, [&](OpBuilder &, ValueRange query, Value out) {
    auto [row, firstColumn] = operands.result.emitPosition(b, loc, query[0], query[1], OpFoldResult(query[2]));
    SmallVector<OpFoldResult> position = {row, firstColumn}, sizes = {one, b.getIndexAttr(operands.result.size)};
    Value part = emitPart(b, loc, out, position, sizes);
    part = emitTaskParts(b, loc, Extent(operands.result.size), part, [&](OpBuilder &, ValueRange column, Value inner) {
      Value element = emitElement(query, column[0]);
      SmallVector<OpFoldResult> at = {zero, OpFoldResult(column[0])}, ones = {one, one};
      Value none = arith::ConstantIndexOp::create(b, loc, 0);
      Value changed = tensor::InsertOp::create(b, loc, element, emitPart(b, loc, inner, at, ones), ValueRange{none, none});
      return TaskPart{changed, at, ones};
    });
    return TaskPart{part, position, sizes};
  });
}
