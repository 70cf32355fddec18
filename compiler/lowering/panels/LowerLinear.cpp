//===- LowerLinear.cpp - transform.heddle.lower_linear --------------------===//

#include "ActiveRows.h"
#include "ContractionParts.h"
#include "Emit.h"
#include "LinearEpilogue.h"
#include "PanelPlace.h"
#include "TransformOps.h"
#include "WeightPrefetch.h"
#include "Widened.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// One heddle.linear as tasks over blocks of rows and panels of columns.
struct LinearLowering {
  RewriterBase &b;
  LinearOp linear;
  int64_t lanes, panel, registers, panelBytes;
  PrefetchPace pace;
  Location loc;
  Type element;
  Value input, residual, dest;
  std::optional<ActiveRows> active; // rows that are needed; none: all
  std::optional<WeightPrefetch> prefetch;
  Extent m; // rows
  int64_t n = 0, k = 0;
  int64_t parts = 1, part = 0; // of the contraction, one after the other; elements of each
  int64_t stored = 0;          // columns of a packed panel
  int64_t abreast = 1;         // packed panels that a tile may take at a time
  bool packed = false, epilogue = false;
  static constexpr int64_t shortContraction = 32;
  static constexpr int64_t leastRows = 32; // of a block, where rows are shared out
  static constexpr int64_t bringingTiles = 2;
  static constexpr int64_t fewRows = 16; // for which the weight's columns are read where they are

  LinearLowering(RewriterBase &b, LinearOp linear, int64_t lanes, int64_t panel, int64_t registers,
                 int64_t panelBytes, PrefetchPace pace)
      : b(b), linear(linear), lanes(lanes), panel(panel), registers(registers), panelBytes(panelBytes), pace(pace),
        loc(linear.getLoc()),
        element(cast<RankedTensorType>(linear.getResult().getType()).getElementType()) {}

  LogicalResult prepare();
  int64_t accumulators();
  int64_t tileRows(int64_t width, int64_t rows);
  void columns(int64_t firstPanel, int64_t count, int64_t width);
  void anyRows(int64_t blocks, int64_t firstPanel, int64_t count, int64_t width);
  void rows(int64_t firstRow, RowBlocks blocks, int64_t firstPanel, int64_t count, int64_t width);
  int64_t padded(int64_t width);
  Value panelOf(const PanelPlace &place, int64_t width, int64_t blockRows);
  struct Task { // a block of rows of the input times one panel
    Value input, weights;
    OpFoldResult row, number;
    int64_t rows, step, columns;
  };
  TaskPart block(OpFoldResult row, const Extent &size, int64_t step, OpFoldResult number, int64_t width, Value out);
  Value sumParts(const Task &task);
  Value multiply(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, OpFoldResult which, Value start);
  Value ifActive(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, Value target,
                 llvm::function_ref<Value(OpBuilder &, Value flags)> compute);
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
  int64_t rows = result.getNumElements() / n;
  m = Sizes(linear).of(rows);
  packed = weight.getRank() > 2;
  epilogue = linear.getBias() || linear.getResidual() || linear.getActivation() != Activation::None;
  active = findActiveRows(b, linear.getResult());
  epilogue |= active.has_value();
  if (!m.isFixed())
    panelBytes = 0; // parts are summed up in place, where no row may come twice
  if (packed) {
    stored = weight.getShape().back();
    abreast = weight.getRank() == 4 ? weight.getDimSize(0) : 1;
    panel = panel == stored * abreast ? panel : stored;
    parts = cutContraction(rows, k, panel * (element.getIntOrFloatBitWidth() / 8), panelBytes);
  }
  part = k / parts;
  prefetch.emplace(b, loc, linear.getWeight(), panel, parts, pace);
  input = emitReshape(b, loc, linear.getInput(), {rows, k});
  if (linear.getResidual())
    residual = emitReshape(b, loc, linear.getResidual(), {rows, n});
  dest = emitDestination(b, active ? active->result() : linear.getResult(), RankedTensorType::get({rows, n}, element));
  return success();
}

/// Those of a register tile. Over a short contraction half of them, as long as they hide the latency of a multiply-add:
/// the processor then sees far enough ahead to start the next tile while one is finished (Zen4, 8 rows by 1000 columns:
/// K = 4 takes 0.66 of the time, K = 16 takes 0.97, K = 32 as much; Zen5, many rows: K = 20 takes 0.95, K = 32 0.98).
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

/// A width rounded up to half a vector, so that only the epilogue has a mask; without an epilogue the width.
int64_t LinearLowering::padded(int64_t width) { return epilogue ? llvm::alignTo(width, lanes / 2) : width; }

/// The weight's columns as a tile [k, padded width], but no wider than a packed panel; where these are in several
/// panels, [panels, k, stored]. A weight that is not in panels, or stored narrow, is copied into one, unless too few
/// rows use it for that to pay.
Value LinearLowering::panelOf(const PanelPlace &place, int64_t width, int64_t blockRows) {
  int64_t padded = this->padded(width);
  OpFoldResult zero = b.getIndexAttr(0);
  if (packed) {
    padded = std::min(padded, panel);
    bool several = padded > stored;
    Value part =
        abreast == 1
            ? emitSlice(b, loc, linear.getWeight(), {place.along, zero, zero}, {0, k, padded})
            : emitSlice(b, loc, linear.getWeight(), {place.beside, place.along, zero, zero},
                        {several ? llvm::divideCeilSigned(padded, stored) : 0, 0, k, several ? stored : padded});
    return blockRows <= fewRows ? part : emitWidened(b, loc, part);
  }
  Value columns = emitSlice(b, loc, linear.getWeight(), {zero, place.column}, {k, width});
  if (blockRows <= fewRows)
    return columns;
  Value scratch = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{k, padded}, element);
  Value target = padded == width ? scratch : emitSlice(b, loc, scratch, {zero, zero}, {k, width});
  Value copy = linalg::CopyOp::create(b, loc, columns, target).getResult(0);
  return padded == width ? copy : emitInsert(b, loc, copy, scratch, {zero, zero}, {k, width});
}

/// start + `rows` rows of the task from `at` on times a part of its panel.
Value LinearLowering::multiply(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, OpFoldResult which,
                               Value start) {
  OpFoldResult from = emitAffine(b, loc, which, part, 0);
  Value a = emitSlice(b, loc, task.input, {at, from}, {rows, part});
  Value weights = task.weights;
  OpFoldResult number = task.number;
  if (parts > 1) {
    OpFoldResult zero = b.getIndexAttr(0);
    auto type = cast<RankedTensorType>(weights.getType());
    weights = type.getRank() == 2
                  ? emitSlice(b, loc, weights, {from, zero}, {part, task.columns})
                  : emitSlice(b, loc, weights, {zero, from, zero}, {type.getDimSize(0), part, type.getDimSize(2)});
    AffineMap map = AffineMap::get(2, 0, b.getAffineDimExpr(0) * parts + b.getAffineDimExpr(1));
    number = affine::makeComposedFoldedAffineApply(b, loc, map, {number, which});
  }
  return prefetch->multiply(b, a, weights, start, number, at, task.step, task.rows);
}

/// The products with all parts of the panel but the last.
Value LinearLowering::sumParts(const Task &task) {
  auto add = [&](OpBuilder &inner, OpFoldResult at, int64_t rows, Value which, Value sums) {
    return ifActive(inner, task, at, rows, sums, [&](OpBuilder &tileBuilder, Value) {
      return multiply(tileBuilder, task, at, rows, which, sums);
    });
  };
  return emitPartSums(b, loc, RankedTensorType::get({task.rows, task.columns}, element), task.step, parts, add);
}

Value LinearLowering::ifActive(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, Value target,
                               llvm::function_ref<Value(OpBuilder &, Value)> compute) {
  if (!active)
    return compute(b, Value());
  AffineMap sum = AffineMap::get(2, 0, b.getAffineDimExpr(0) + b.getAffineDimExpr(1));
  OpFoldResult row = affine::makeComposedFoldedAffineApply(b, loc, sum, {task.row, at});
  return emitIfActive(b, loc, active->flags, row, rows, target, compute);
}

/// A block of `size` rows from `row` on times one panel, of which `width` columns are used, into its place in `out`.
TaskPart LinearLowering::block(OpFoldResult row, const Extent &size, int64_t step, OpFoldResult number,
                               int64_t width, Value out) {
  PanelPlace place = emitPanelPlace(b, loc, linear.getWeight(), n, panel, number, width);
  OpFoldResult zero = b.getIndexAttr(0), column = place.column;
  OpFoldResult rows = size.emit(b, loc);
  auto blockOf = [&](Value whole, OpFoldResult from, int64_t columns) -> Value {
    SmallVector<OpFoldResult> at = {row, from}, sizes = {rows, b.getIndexAttr(columns)}, ones(2, b.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(b, loc, whole, at, sizes, ones);
  };
  Value part = emitWidened(b, loc, blockOf(input, zero, k));
  Value weights = panelOf(place, width, size.isFixed() ? size.number() : m.high());
  Task task = {part, weights, row, place.number, size.isFixed() ? size.number() : step, step,
               std::min(padded(width), panel)};
  if (auto type = cast<RankedTensorType>(task.weights.getType()); type.getRank() == 2)
    task.columns = type.getDimSize(1);
  Value bias = linear.getBias() ? emitSlice(b, loc, linear.getBias(), {column}, {width}) : Value();
  Value addend = residual ? blockOf(residual, column, width) : Value();
  Value target = blockOf(out, column, width);
  Value sums = parts > 1 ? sumParts(task) : Value();
  auto tile = [&](OpBuilder &inner, OpFoldResult at, int64_t rows, Value carried) -> Value {
    Value addendTile = addend ? emitSlice(inner, loc, addend, {at, zero}, {rows, width}) : Value();
    Value targetTile = emitSlice(inner, loc, carried, {at, zero}, {rows, width});
    auto compute = [&](OpBuilder &tileBuilder, Value flags) {
      bool finishes = epilogue || sums;
      Value start = sums ? emitSlice(tileBuilder, loc, sums, {at, zero}, {rows, task.columns}) : targetTile;
      if (epilogue && !sums)
        start = tensor::EmptyOp::create(tileBuilder, loc, ArrayRef<int64_t>{rows, task.columns}, element);
      if (!sums)
        start = linalg::FillOp::create(tileBuilder, loc, emitFloat(tileBuilder, loc, element, 0.0), start).getResult(0);
      Value product = multiply(tileBuilder, task, at, rows, tileBuilder.getIndexAttr(parts - 1), start);
      LinearEpilogue finish = {linear.getActivation(), bias, addendTile, flags};
      return finishes ? emitFinishedTile(tileBuilder, loc, finish, product, targetTile) : product;
    };
    if (size.isFixed() || !prefetch->brings()) {
      Value done = ifActive(inner, task, at, rows, targetTile, compute);
      return emitInsert(inner, loc, done, carried, {at, zero}, {rows, width});
    }
    // Of tiles whose number only the call knows, the first ones bring the next panel.
    task.step = rows;
    task.rows = bringingTiles * rows;
    Value bound = arith::ConstantIndexOp::create(inner, loc, task.rows);
    Value number = getValueOrCreateConstantIndexOp(inner, loc, at);
    Value brings = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt, number, bound);
    auto choice = scf::IfOp::create(
        inner, loc, brings,
        [&](OpBuilder &then, Location) {
          scf::YieldOp::create(then, loc, ifActive(then, task, at, rows, targetTile, compute));
        },
        [&](OpBuilder &other, Location) {
          task.rows = 0; // as of too few
          scf::YieldOp::create(other, loc, ifActive(other, task, at, rows, targetTile, compute));
        });
    return emitInsert(inner, loc, choice.getResult(0), carried, {at, zero}, {rows, width});
  };
  Value result = emitRowLoop(b, loc, size, step, target, tile);
  return {result, {row, column}, {rows, b.getIndexAttr(width)}};
}

/// Tasks for `blocks` of rows times `count` panels of which `width` columns are used.
void LinearLowering::rows(int64_t firstRow, RowBlocks blocks, int64_t firstPanel, int64_t count, int64_t width) {
  dest = emitTaskParts(b, loc, {blocks.blocks, count}, dest, [&](OpBuilder &, ValueRange ivs, Value out) {
    OpFoldResult row = emitAffine(b, loc, ivs[0], blocks.size, firstRow);
    return block(row, blocks.size, tileRows(width, blocks.size),
                 emitAffine(b, loc, ivs[1], 1, firstPanel), width, out);
  });
}

/// The same for a number of rows that only the call knows, in so many blocks at most.
void LinearLowering::anyRows(int64_t blocks, int64_t firstPanel, int64_t count, int64_t width) {
  int64_t step = tileRows(width, m.high());
  Extent rows = m.emitOnce(b, loc);
  AffineExpr n = b.getAffineDimExpr(0), most = b.getAffineConstantExpr(blocks);
  Extent shares = affine::makeComposedFoldedAffineMin(
      b, loc, AffineMap::get(1, 0, {n.ceilDiv(leastRows), most}, b.getContext()), {rows.emit(b, loc)});
  dest = emitTaskParts(b, loc, {shares, count}, dest, [&](OpBuilder &, ValueRange ivs, Value out) {
    RowShare share = emitShare(b, loc, rows, step, shares, ivs[0]);
    return block(share.first, share.count, step, emitAffine(b, loc, ivs[1], 1, firstPanel), width, out);
  });
}

void LinearLowering::columns(int64_t firstPanel, int64_t count, int64_t width) {
  // Panels alone are parallel enough where there are many; the number of tasks depends
  // on the shape only.
  constexpr int64_t tasks = 16;
  int64_t most = llvm::divideCeil(tasks, count);
  if (!m.isFixed())
    return anyRows(most, firstPanel, count, width);
  int64_t wanted = std::min<int64_t>(most, llvm::divideCeil(m.number(), leastRows));
  RowBlocks blocks = cutRows(m.number(), tileRows(width, m.number()), wanted);
  rows(0, blocks, firstPanel, count, width);
  if (blocks.rest)
    rows(blocks.blocks * blocks.size, {1, blocks.rest, 0}, firstPanel, count, width);
}

/// How a weight goes through the caches; no parameters: in whole panels, none asked for ahead.
static LogicalResult readParameters(transform::TransformState &state, OperandRange params, int64_t &panelBytes,
                                    PrefetchPace &pace) {
  SmallVector<int64_t, 4> values;
  for (Value param : params) {
    FailureOr<int64_t> value = transforms::getInteger(state, param);
    if (failed(value) || *value < 0)
      return failure();
    values.push_back(*value);
  }
  if (values.empty())
    return success();
  if (values.size() != 4 || values[3] < 1 || values[3] > 3)
    return failure();
  panelBytes = values[0] * 1024;
  pace = {values[1], values[2], values[3]};
  return success();
}

DiagnosedSilenceableFailure transforms::LowerLinearOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                  Operation *target,
                                                                  transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("lowers heddle.linear, found ") << target->getName();
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, {getLanes(), getPanel(), getRegisters()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as lanes, panel and registers");
  int64_t panelBytes = 0;
  PrefetchPace pace;
  if (failed(readParameters(state, getWeight(), panelBytes, pace)))
    return emitDefiniteFailure("expects as weight KiB, panels, rows, and 1, 2 or 3");
  LinearLowering lowering(rewriter, linear, (*sizes)[0], (*sizes)[1], (*sizes)[2], panelBytes, pace);
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
