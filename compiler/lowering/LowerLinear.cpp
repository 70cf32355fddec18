//===- LowerLinear.cpp - transform.heddle.lower_linear --------------------===//

#include "ActiveRows.h"
#include "Emit.h"
#include "TransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// One heddle.linear as tasks over blocks of rows and panels of columns.
struct LinearLowering {
  RewriterBase &b;
  LinearOp linear;
  int64_t panel, registers, ahead;
  Location loc;
  Type element;
  Value input, residual, dest;
  std::optional<ActiveRows> active; // rows that are needed; none: all
  Value stream; // the packed weight's elements in one dimension, where it is prefetched
  int64_t m = 0, n = 0, k = 0;
  bool packed = false, epilogue = false;
  static constexpr int64_t lanes = 16, shortContraction = 16;

  LinearLowering(RewriterBase &b, LinearOp linear, int64_t panel, int64_t registers, int64_t ahead)
      : b(b), linear(linear), panel(panel), registers(registers), ahead(ahead), loc(linear.getLoc()),
        element(cast<RankedTensorType>(linear.getResult().getType()).getElementType()) {}

  LogicalResult prepare();
  int64_t accumulators();
  int64_t tileRows(int64_t width, int64_t rows);
  int64_t lineElements() { return 64 / (element.getIntOrFloatBitWidth() / 8); }
  /// Steps of the product from one cache line to the next: a power of two, which makes the division a shift.
  int64_t spacingAhead(int64_t tiles) {
    return llvm::bit_floor<uint64_t>(std::min(tiles / (panel / lineElements()), k));
  }
  void columns(int64_t firstPanel, int64_t count, int64_t width);
  void rows(int64_t firstRow, RowBlocks blocks, int64_t firstPanel, int64_t count, int64_t width);
  Value panelOf(OpFoldResult number, OpFoldResult column, int64_t width, int64_t blockRows);
  Value linesAhead(OpBuilder &b, OpFoldResult number, OpFoldResult row, int64_t step, int64_t rows);
  Value multiply(OpBuilder &b, Value a, Value weights, Value start, Value lines);
  Value tile(OpBuilder &b, Value a, Value weights, Value bias, Value addend, Value flags, Value target, Value lines);
};
} // namespace

LogicalResult LinearLowering::prepare() {
  auto type = cast<RankedTensorType>(linear.getInput().getType());
  auto weight = cast<RankedTensorType>(linear.getWeight().getType());
  auto result = cast<RankedTensorType>(linear.getResult().getType());
  if (!type.hasStaticShape() || !weight.hasStaticShape() || !result.hasStaticShape())
    return linear.emitError() << "expects static shapes, found input " << type << ", weight " << weight;
  k = type.getShape().back();
  n = result.getShape().back();
  m = result.getNumElements() / n;
  packed = weight.getRank() == 3;
  epilogue = linear.getBias() || linear.getResidual() || linear.getActivation() != Activation::None;
  active = findActiveRows(b, linear.getResult());
  epilogue |= active.has_value();
  if (packed)
    panel = weight.getDimSize(2);
  bool hasNext = packed && weight.getDimSize(0) > 1;
  if (hasNext && ahead && panel % lineElements() == 0)
    stream = emitReshape(b, loc, linear.getWeight(), {weight.getNumElements()});
  input = emitReshape(b, loc, linear.getInput(), {m, k});
  if (linear.getResidual())
    residual = emitReshape(b, loc, linear.getResidual(), {m, n});
  dest = emitDestination(b, active ? active->result() : linear.getResult(), RankedTensorType::get({m, n}, element));
  return success();
}

/// Those of a register tile. Over a short contraction half of them, as long as they hide the latency of a multiply-add:
/// the processor then sees far enough ahead to start the next tile while one is finished (Zen4, 8 rows by 1000 columns:
/// K = 4 takes 0.66 of the time, K = 16 takes 0.97; from K = 32 on nothing is saved).
int64_t LinearLowering::accumulators() {
  if (k > shortContraction)
    return registers;
  return std::min<int64_t>(registers, std::max<int64_t>(registers / 2, 8));
}

/// Rows of a register tile of `width` columns, evened out over the rows there are. Few tiles had better be equal, so
/// that each takes as long and has a like share of what is brought into the cache ahead; a tile two thirds as high
/// still hides the latency of its additions.
int64_t LinearLowering::tileRows(int64_t width, int64_t rows) {
  int64_t most = std::clamp<int64_t>(accumulators() / llvm::divideCeil(width, lanes), 1, 14);
  for (int64_t equal = most; rows <= 4 * most && 3 * equal >= 2 * most; --equal)
    if (rows % equal == 0)
      return equal;
  return llvm::divideCeil(rows, llvm::divideCeil(rows, most));
}

/// The weight's columns as a tile [k, width rounded up to half a vector], so that only the epilogue
/// has a mask, but no wider than a packed panel; without an epilogue [k, width]. A weight that is not in panels is copied
/// into one, unless too few rows use it for that to pay.
Value LinearLowering::panelOf(OpFoldResult number, OpFoldResult column, int64_t width, int64_t blockRows) {
  int64_t padded = epilogue ? llvm::alignTo(width, lanes / 2) : width;
  OpFoldResult zero = b.getIndexAttr(0);
  if (packed)
    return emitSlice(b, loc, linear.getWeight(), {number, zero, zero}, {0, k, std::min(padded, panel)});
  Value columns = emitSlice(b, loc, linear.getWeight(), {zero, column}, {k, width});
  if (blockRows <= 16)
    return columns;
  Value scratch = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{k, padded}, element);
  Value target = padded == width ? scratch : emitSlice(b, loc, scratch, {zero, zero}, {k, width});
  Value copy = linalg::CopyOp::create(b, loc, columns, target).getResult(0);
  return padded == width ? copy : emitInsert(b, loc, copy, scratch, {zero, zero}, {k, width});
}

/// What the tile at `row` brings into the cache of the panel that comes `ahead` later: cache lines from one place on,
/// a new one every `spacing` steps of the product. The tiles of a task share that panel between them, so that its lines
/// come at an even pace and once. With few tiles the pace would hold up a tile's own loads (measured: a single one
/// takes 1.75 times as long; two tiles of 48 columns lose 6%, three win 5%; two of 16 columns win 15%): none then.
Value LinearLowering::linesAhead(OpBuilder &b, OpFoldResult number, OpFoldResult row, int64_t step, int64_t rows) {
  int64_t slabs = panel / lineElements(), tiles = rows / step;
  if (!stream || tiles < std::max<int64_t>(slabs, 2))
    return Value();
  int64_t spacing = spacingAhead(tiles), count = llvm::divideCeil(k, spacing), parts = slabs * spacing;
  int64_t last = cast<RankedTensorType>(linear.getWeight().getType()).getDimSize(0) - 1;
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  OpFoldResult next = affine::makeComposedFoldedAffineMin(
      b, loc, AffineMap::get(1, 0, {d0 + ahead, b.getAffineConstantExpr(last)}, b.getContext()), {number});
  AffineMap line = AffineMap::get(1, 0, d0.floorDiv(step) % parts * count);
  OpFoldResult first = affine::makeComposedFoldedAffineApply(b, loc, line, {row});
  if (parts * count > slabs * k) // `spacing` does not divide K: the last parts overlap
    first = affine::makeComposedFoldedAffineMin(
        b, loc, AffineMap::get(1, 0, {d0, b.getAffineConstantExpr(slabs * k - count)}, b.getContext()), {first});
  OpFoldResult from = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(2, 0, d0 * (k * panel) + d1 * lineElements()), {next, first});
  return tensor::ExtractSliceOp::create(b, loc, stream, ArrayRef<OpFoldResult>{from},
                                        ArrayRef<OpFoldResult>{b.getIndexAttr(count)},
                                        ArrayRef<OpFoldResult>{b.getIndexAttr(lineElements())});
}

Value LinearLowering::multiply(OpBuilder &b, Value a, Value weights, Value start, Value lines) {
  if (!lines)
    return linalg::MatmulOp::create(b, loc, start.getType(), ValueRange{a, weights}, start).getResult(0);
  AffineExpr i, j, p;
  bindDims(b.getContext(), i, j, p);
  SmallVector<AffineMap> maps = {AffineMap::get(3, 0, {i, p}, b.getContext()),
                                 AffineMap::get(3, 0, {p, j}, b.getContext())};
  int64_t count = cast<RankedTensorType>(lines.getType()).getDimSize(0);
  int64_t spacing = llvm::bit_ceil<uint64_t>(llvm::divideCeil(k, count));
  maps.push_back(AffineMap::get(3, 0, p.floorDiv(spacing)));
  maps.push_back(AffineMap::get(3, 0, {i, j}, b.getContext()));
  SmallVector<Value> inputs = {a, weights, lines};
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel, utils::IteratorType::parallel,
                                                utils::IteratorType::reduction};
  auto product = linalg::GenericOp::create(
      b, loc, start.getType(), inputs, start, maps, iterators, [](OpBuilder &body, Location where, ValueRange args) {
        Value term = arith::MulFOp::create(body, where, args[0], args[1]);
        linalg::YieldOp::create(body, where, Value(arith::AddFOp::create(body, where, args.back(), term)));
      });
  product->setAttr(prefetchAttr, b.getUnitAttr());
  return product.getResult(0);
}

/// The product on registers, then the epilogue on what is there.
Value LinearLowering::tile(OpBuilder &b, Value a, Value weights, Value bias, Value addend, Value flags,
                           Value target, Value lines) {
  int64_t rows = cast<RankedTensorType>(a.getType()).getDimSize(0);
  int64_t padded = cast<RankedTensorType>(weights.getType()).getDimSize(1);
  auto type = cast<RankedTensorType>(target.getType());
  Value start = epilogue ? Value(tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{rows, padded}, element)) : target;
  Value zero = linalg::FillOp::create(b, loc, emitFloat(b, loc, element, 0.0), start).getResult(0);
  Value product = multiply(b, a, weights, zero, lines);
  if (!epilogue)
    return product;
  if (padded != type.getDimSize(1))
    product = emitSlice(b, loc, product, {b.getIndexAttr(0), b.getIndexAttr(0)}, type.getShape());

  AffineMap identity = b.getMultiDimIdentityMap(2), column = AffineMap::get(2, 0, b.getAffineDimExpr(1));
  SmallVector<Value> inputs = {product};
  SmallVector<AffineMap> maps = {identity};
  if (bias) {
    inputs.push_back(bias);
    maps.push_back(column);
  }
  if (addend) {
    inputs.push_back(addend);
    maps.push_back(identity);
  }
  unsigned addendAt = inputs.size() - 1;
  if (flags) {
    inputs.push_back(flags);
    maps.push_back(AffineMap::get(2, 0, b.getAffineDimExpr(0)));
  }
  maps.push_back(identity);
  SmallVector<utils::IteratorType> parallel(2, utils::IteratorType::parallel);
  auto finish = linalg::GenericOp::create(
      b, loc, type, inputs, target, maps, parallel, [&](OpBuilder &body, Location, ValueRange arguments) {
        Value x = arguments.front();
        if (bias)
          x = arith::AddFOp::create(body, loc, x, arguments[1]);
        x = emitActivation(body, loc, linear.getActivation(), x);
        if (addend)
          x = arith::AddFOp::create(body, loc, x, arguments[addendAt]);
        if (flags)
          x = emitKept(body, loc, arguments[inputs.size() - 1], x);
        linalg::YieldOp::create(body, loc, x);
      });
  return finish.getResult(0);
}

/// Tasks for `blocks` of rows times `count` panels of which `width` columns are used.
void LinearLowering::rows(int64_t firstRow, RowBlocks blocks, int64_t firstPanel, int64_t count, int64_t width) {
  int64_t size = blocks.size, step = tileRows(width, size);
  dest = emitTasks(b, loc, {blocks.blocks, count}, dest, {size, width}, [&](OpBuilder &, ValueRange ivs, Value out) {
    OpFoldResult zero = b.getIndexAttr(0);
    OpFoldResult row = emitAffine(b, loc, ivs[0], size, firstRow);
    OpFoldResult number = emitAffine(b, loc, ivs[1], 1, firstPanel);
    OpFoldResult column = emitAffine(b, loc, ivs[1], panel, firstPanel * panel);
    Value a = emitSlice(b, loc, input, {row, zero}, {size, k});
    Value weights = panelOf(number, column, width, size);
    Value bias = linear.getBias() ? emitSlice(b, loc, linear.getBias(), {column}, {width}) : Value();
    Value addend = residual ? emitSlice(b, loc, residual, {row, column}, {size, width}) : Value();
    Value target = emitSlice(b, loc, out, {row, column}, {size, width});
    Value result = emitRowLoop(b, loc, size, step, target, [&](OpBuilder &inner, OpFoldResult at, int64_t rows,
                                                               Value carried) {
      Value aTile = emitSlice(inner, loc, a, {at, zero}, {rows, k});
      Value addendTile = addend ? emitSlice(inner, loc, addend, {at, zero}, {rows, width}) : Value();
      Value targetTile = emitSlice(inner, loc, carried, {at, zero}, {rows, width});
      Value lines = linesAhead(inner, number, at, step, size);
      auto compute = [&](OpBuilder &tileBuilder, Value flags) {
        return tile(tileBuilder, aTile, weights, bias, addendTile, flags, targetTile, lines);
      };
      OpFoldResult place = affine::makeComposedFoldedAffineApply(
          inner, loc, AffineMap::get(2, 0, inner.getAffineDimExpr(0) + inner.getAffineDimExpr(1)), {row, at});
      Value done = active ? emitIfActive(inner, loc, active->flags, place, rows, targetTile, compute)
                          : compute(inner, Value());
      return emitInsert(inner, loc, done, carried, {at, zero}, {rows, width});
    });
    return TaskTile{result, {row, column}};
  });
}

void LinearLowering::columns(int64_t firstPanel, int64_t count, int64_t width) {
  // Panels alone are parallel enough where there are many; the number of tasks depends
  // on the shape only.
  constexpr int64_t tasks = 16;
  int64_t wanted = std::min(llvm::divideCeil(tasks, count), llvm::divideCeil(m, 32));
  RowBlocks blocks = cutRows(m, tileRows(width, m), wanted);
  rows(0, blocks, firstPanel, count, width);
  if (blocks.rest)
    rows(blocks.blocks * blocks.size, {1, blocks.rest, 0}, firstPanel, count, width);
}

DiagnosedSilenceableFailure transforms::LowerLinearOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                  Operation *target,
                                                                  transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("lowers heddle.linear, found ") << target->getName();
  FailureOr<int64_t> panel = getInteger(state, getPanel()), registers = getInteger(state, getRegisters());
  if (failed(panel) || failed(registers) || *panel <= 0 || *registers <= 0)
    return emitDefiniteFailure("expects positive integers as panel and registers");
  FailureOr<int64_t> ahead = getAhead() ? getInteger(state, getAhead()) : FailureOr<int64_t>(0);
  if (failed(ahead) || *ahead < 0)
    return emitDefiniteFailure("expects an integer that is not negative as ahead");
  LinearLowering lowering(rewriter, linear, *panel, *registers, *ahead);
  if (failed(lowering.prepare()))
    return emitDefiniteFailure("cannot lower heddle.linear");
  int64_t full = lowering.n / lowering.panel, rest = lowering.n % lowering.panel;
  if (full)
    lowering.columns(0, full, lowering.panel);
  if (rest)
    lowering.columns(full, 1, rest);
  if (lowering.active) {
    replaceSelected(rewriter, linear, *lowering.active, lowering.dest);
    return DiagnosedSilenceableFailure::success();
  }
  auto type = cast<RankedTensorType>(linear.getResult().getType());
  rewriter.replaceOp(linear, emitReshape(rewriter, linear.getLoc(), lowering.dest, type.getShape()));
  return DiagnosedSilenceableFailure::success();
}
