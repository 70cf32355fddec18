//===- EvenTiles.cpp - nearly equal tiles of a run-time row count ---------===//

#include "EvenTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace heddle;

std::set<EvenTiles::Kind> EvenTiles::kinds() const {
  std::set<Kind> found;
  // All variants that occur for more than `last` rows occur for some number of rows up to `last`, too.
  int64_t last = std::min(maximum, std::max(minimum, sharedFrom) + (sharers + 2) * step);
  for (int64_t rows = minimum; rows <= last; ++rows) {
    int64_t count = llvm::divideCeil(rows, step), low = rows / count, higher = rows % count;
    int64_t sharing = rows >= sharedFrom ? std::min(count, sharers) : 0;
    for (int64_t tile = 0; tile < count; ++tile)
      found.insert({tile < higher ? low + 1 : low, sharing});
  }
  return found;
}

namespace {
/// The values that are computed at run time from the number of rows.
struct Cut {
  Value count, sharing; // the number of tiles, and the number of tiles that share the extra work
  Value low, higher;    // the smaller number of rows of a tile, and the number of tiles with one row more
};
} // namespace

/// Emits a loop over the tiles of variant `kind`. In a call that has no tiles of this variant, the loop has no
/// iterations.
static Value emitKind(ImplicitLocOpBuilder &b, const EvenTiles::Kind &kind, const Cut &cut, Value target,
                      EvenTileBody body) {
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
  auto equal = [&](Value x, Value y) -> Value { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y); };
  auto choose = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, condition, yes, no);
  };
  Value height = index(kind.rows), none = index(0);
  Value isLow = equal(cut.low, height), isHigh = equal(cut.low, index(kind.rows - 1));
  // The tiles with the indices [origin, end) have `kind.rows` rows. The range is empty if the number of tiles that
  // share the extra work is not `kind.sharers`. Tiles of `low` rows come after all tiles that have one row more.
  Value origin = choose(isLow, cut.higher, none);
  Value end = choose(isHigh, cut.higher, choose(isLow, cut.count, none));
  end = choose(equal(cut.sharing, index(kind.sharers)), end, origin);
  auto loop = scf::ForOp::create(
      b, origin, end, index(1), target, [&](OpBuilder &inner, Location loc, Value number, ValueRange carried) {
        Value at = arith::MulIOp::create(inner, loc, number, height);
        at = arith::AddIOp::create(inner, loc, at, origin);
        scf::YieldOp::create(inner, loc, body(inner, number, at, kind, carried.front()));
      });
  return loop.getResult(0);
}

Value heddle::emitEvenTiles(OpBuilder &builder, Location loc, const EvenTiles &tiles, Value rows, Value target,
                            EvenTileBody body) {
  ImplicitLocOpBuilder b(loc, builder);
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
  Cut cut;
  cut.count = arith::CeilDivUIOp::create(b, rows, index(tiles.step));
  cut.low = arith::DivUIOp::create(b, rows, cut.count);
  cut.higher = arith::RemUIOp::create(b, rows, cut.count);
  Value shares = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, rows, index(tiles.sharedFrom));
  Value sharing = arith::MinUIOp::create(b, cut.count, index(tiles.sharers));
  cut.sharing = arith::SelectOp::create(b, shares, sharing, index(0));
  for (const EvenTiles::Kind &kind : tiles.kinds())
    target = emitKind(b, kind, cut, target, body);
  return target;
}
