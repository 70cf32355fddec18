//===- MatrixTiles.cpp - rows in the tiles of matrix instructions ---------===//

#include "MatrixTiles.h"
#include "Emit.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Emits the tiles of one block. The members are the arguments of emitMatrixTiles.
struct MatrixTiles {
  Location loc;
  OpFoldResult row;
  int64_t step, unit;
  MatrixTileBody body;

  /// Emits row + at + offset.
  OpFoldResult sum(OpBuilder &b, OpFoldResult at, int64_t offset) const {
    AffineExpr both = b.getAffineDimExpr(0) + b.getAffineDimExpr(1) + offset;
    return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(2, 0, both), {row, at});
  }
  /// Emits the only tile of a layer that has fewer rows than a unit.
  Value small(OpBuilder &b, const Extent &size, Value target) const {
    OpFoldResult zero = b.getIndexAttr(0);
    return body(b, {zero, size, unit, zero, zero, /*isSmall=*/true}, target);
  }
  Value fixed(OpBuilder &b, int64_t size, Value target) const;
  Value any(OpBuilder &b, Value size, Value target) const;
};
} // namespace

/// Emits the tiles of a block with a fixed number of rows.
Value MatrixTiles::fixed(OpBuilder &b, int64_t size, Value target) const {
  return emitRowLoop(b, loc, size, step, target, [&](OpBuilder &inner, OpFoldResult at, int64_t count, Value carried) {
    int64_t rows = llvm::alignTo(count, unit), dropped = rows - count;
    return body(inner, {at, count, rows, sum(inner, at, -dropped), inner.getIndexAttr(dropped)}, carried);
  });
}

/// Emits the tiles of a block whose number of rows is known only at run time: tiles of `step` rows, then tiles of a
/// unit or less.
Value MatrixTiles::any(OpBuilder &b, Value size, Value target) const {
  auto index = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  auto loop = [&](Value first, Value end, int64_t by, Value start,
                  function_ref<RowTile(ImplicitLocOpBuilder &, Value at)> tile) -> Value {
    return scf::ForOp::create(b, loc, first, end, index(b, by), start,
                              [&](OpBuilder &inner, Location, Value at, ValueRange carried) {
                                ImplicitLocOpBuilder builder(loc, inner);
                                RowTile found = tile(builder, at);
                                scf::YieldOp::create(inner, loc, body(inner, found, carried.front()));
                              })
        .getResult(0);
  };
  Value whole = index(b, 0);
  if (step > unit) {
    Value rest = arith::RemUIOp::create(b, loc, size, index(b, step));
    whole = arith::SubIOp::create(b, loc, size, rest);
    target = loop(index(b, 0), whole, step, target, [&](ImplicitLocOpBuilder &inner, Value at) {
      return RowTile{at, step, step, sum(inner, at, 0), inner.getIndexAttr(0)};
    });
  }
  return loop(whole, size, unit, target, [&](ImplicitLocOpBuilder &inner, Value at) {
    Value all = index(inner, unit);
    Value count = arith::MinUIOp::create(inner, all, arith::SubIOp::create(inner, size, at));
    Value dropped = arith::SubIOp::create(inner, all, count);
    Value first = arith::AddIOp::create(inner, getValueOrCreateConstantIndexOp(inner, loc, row), at);
    return RowTile{at, count, unit, Value(arith::SubIOp::create(inner, first, dropped)), dropped};
  });
}

Value heddle::emitMatrixTiles(OpBuilder &b, Location loc, OpFoldResult row, const Extent &size, const Extent &all,
                              int64_t step, int64_t unit, Value target, MatrixTileBody body) {
  MatrixTiles tiles{loc, row, step, unit, body};
  if (all.high() < unit)
    return tiles.small(b, size.emitOnce(b, loc), target);
  if (size.isFixed())
    return tiles.fixed(b, size.number(), target);
  Value rows = size.emitValue(b, loc);
  if (all.low() >= unit)
    return tiles.any(b, rows, target);
  Value least = arith::ConstantIndexOp::create(b, loc, unit);
  Value isSmall = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, all.emitValue(b, loc), least);
  auto small = [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, loc, tiles.small(inner, rows, target)); };
  auto any = [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, loc, tiles.any(inner, rows, target)); };
  return scf::IfOp::create(b, loc, isSmall, small, any).getResult(0);
}
