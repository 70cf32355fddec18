//===- LowerLinear.cpp - transform.heddle.lower_linear --------------------===//

#include "ContractionParts.h"
#include "LinearLowering.h"
#include "Narrowing.h"
#include "TileOfEach.h"
#include "TransformOps.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The maximum length of a contraction, in steps of `depth` rows, for which a tile has fewer accumulators (see
/// accumulators()).
static constexpr int64_t shortContraction = 32;
static constexpr int64_t minRows = 32; // the minimum number of rows of a block if there are several blocks

/// Checks the types of the layer, and sets the members. Emits an error and fails if the layer cannot be lowered.
LogicalResult LinearLowering::prepare() {
  auto type = cast<RankedTensorType>(linear.getInput().getType());
  auto weightType = cast<RankedTensorType>(linear.getWeight().getType());
  auto result = cast<RankedTensorType>(linear.getResult().getType());
  if (linear.getRounding() && !rounded)
    return linear.emitError("this lowering does not support a layer that rounds the rows of its input");
  if (!type.hasStaticShape() || !weightType.hasStaticShape() || !result.hasStaticShape())
    return linear.emitError() << "expects static shapes, found input " << type << ", weight " << weightType;
  weight = linear.getWeight();
  k = type.getShape().back();
  sum = element;
  PrefetchPace ofPanels = pace;
  if (rounded) {
    weight = rounded->weight;
    weightType = cast<RankedTensorType>(weight.getType());
    depth = rounded->kind.getDepth();
    k = weightType.getShape().take_back(2).front() * rounded->kind.getStepsPerElement();
    sum = rounded->kind.getSumElement();
    if (rounded->block) { // emitBlockSums() divides the contraction into blocks, and prefetches in its own way
      panelBytes = 0;
      ofPanels.distance = 0;
    }
  }
  packing.assign(weightType.getShape().begin(), weightType.getShape().end());
  packing.back() /= depth;
  n = result.getShape().back();
  int64_t rows = result.getNumElements() / n;
  m = Sizes(linear).of(rows);
  packed = weightType.getRank() > 2;
  epilogue = linear.getBias() || linear.getResidual() || linear.getActivation() != Activation::None;
  active = findActiveRows(b, linear.getResult());
  epilogue |= active.has_value() || rounded.has_value();
  // With a range of rows, row tiles may overlap (emitRowLoop), so products would be added twice to the sums of parts.
  // Matrix instructions read a panel so slowly that a panel need not lie in a cache near the core.
  if (!m.isFixed() || usesMatrices(rounded))
    panelBytes = 0;
  if (packed) {
    stored = packing.back();
    interleaved = packing.size() == 4 ? packing.front() : 1;
    panel = panel == stored * interleaved ? panel : stored;
    if (ProductUnit unit = unitOf(rounded); stored % unit.columns)
      return linear.emitError() << "expects panels of a multiple of " << unit.columns << " columns for "
                                << rounded->kind << ", found " << stored;
    Type read = rounded ? weightType.getElementType() : element;
    parts = cutContraction(rows, k, panel * depth * (read.getIntOrFloatBitWidth() / 8), panelBytes);
  }
  part = k / parts;
  prefetch.emplace(b, loc, weight, panel * depth, parts, ofPanels);
  input = rounded ? rounded->rows : emitReshape(b, loc, linear.getInput(), {rows, k});
  if (linear.getResidual())
    residual = emitReshape(b, loc, linear.getResidual(), {rows, n});
  narrowing = rounded && !active ? findNarrowing(linear.getResult()) : linalg::GenericOp();
  Value made = active ? active->result() : narrowing ? narrowing.getResult(0) : linear.getResult();
  dest = emitDestination(b, made, RankedTensorType::get({rows, n}, getElementTypeOrSelf(made)));
  return success();
}

/// Returns the number of accumulators of a register tile. A short contraction uses half of the registers, but at least
/// 8 to hide the latency of a multiply-add: the processor can then start the next tile while it finishes the current
/// one. Time with half of the registers, divided by the time with all registers: 0.66 (K = 4), 0.97 (K = 16) and 1.0
/// (K = 32) on Zen4 (8 rows, 1000 columns); 0.95 (K = 20) and 0.98 (K = 32) on Zen5 (many rows). If rows have blocks
/// with scales of their own, the sums of a block need registers in addition to the sums of the row, so tiles use half
/// of the registers (0.96 of the time with all registers on Zen4, 16 and 128 rows).
int64_t LinearLowering::accumulators() {
  if (rounded && rounded->block)
    return std::max<int64_t>(registers / 2, 1);
  if (k > shortContraction)
    return registers;
  return std::min<int64_t>(registers, std::max<int64_t>(registers / 2, 8));
}

/// Returns the maximum number of rows of a register tile of `width` columns.
int64_t LinearLowering::maxTileRows(int64_t width) {
  int64_t vectors = llvm::divideCeil(width, lanes);
  if (usesMatrices(rounded)) { // the sums are in memory, so there may be many
    ProductUnit unit = unitOf(rounded);
    int64_t sums = rounded->block ? registers / 2 : registers; // with blocks, there are also the sums of a block
    return std::clamp<int64_t>(llvm::alignDown(sums / vectors, unit.rows), unit.rows, 2 * unit.rows);
  }
  return std::clamp<int64_t>(accumulators() / vectors, 1, 14);
}

/// Returns the number of rows of a register tile of `width` columns, such that the tiles of `rows` rows are nearly
/// equal. If there are few tiles, they should be exactly equal, so that each takes the same time and prefetches an
/// equal share; a tile with two thirds of the maximum number of rows still hides the latency of its additions.
int64_t LinearLowering::tileRows(int64_t width, int64_t rows) {
  int64_t maximum = maxTileRows(width);
  if (ProductUnit unit = unitOf(rounded); usesMatrices(rounded)) // tiles consist of whole units
    return std::clamp<int64_t>(llvm::alignDown(rows, unit.rows), unit.rows, maximum);
  for (int64_t equal = maximum; rows <= 4 * maximum && 3 * equal >= 2 * maximum; --equal)
    if (rows % equal == 0)
      return equal;
  return llvm::divideCeil(rows, llvm::divideCeil(rows, maximum));
}

/// Emits tasks for `blocks`, the blocks of rows from `firstRow` on, times `count` panels from `firstPanel` on, of which
/// `width` columns are used.
void LinearLowering::rows(int64_t firstRow, RowBlocks blocks, int64_t firstPanel, int64_t count, int64_t width) {
  dest = emitTaskParts(b, loc, {blocks.blocks, count}, dest, [&](OpBuilder &, ValueRange ivs, Value out) {
    OpFoldResult row = emitAffine(b, loc, ivs[0], blocks.size, firstRow);
    return block(row, blocks.size, tileRows(width, blocks.size), emitAffine(b, loc, ivs[1], 1, firstPanel), width, out);
  });
}

/// Emits tasks for a number of rows that is known only at run time: at most `blocks` blocks of rows times `count`
/// panels from `firstPanel` on, of which `width` columns are used. Rows that fit into one tile are not divided.
void LinearLowering::anyRows(int64_t blocks, int64_t firstPanel, int64_t count, int64_t width) {
  int64_t step = usesMatrices(rounded) ? tileRows(width, m.high()) : std::min(maxTileRows(width), m.high());
  Extent rows = m.emitOnce(b, loc);
  if (!usesMatrices(rounded) && hasTileOfEach(b, rows, step)) {
    dest = emitTaskParts(b, loc, {count}, dest, [&](OpBuilder &, ValueRange ivs, Value out) {
      return block(b.getIndexAttr(0), rows, step, emitAffine(b, loc, ivs[0], 1, firstPanel), width, out);
    });
    return;
  }
  AffineExpr n = b.getAffineDimExpr(0), maximum = b.getAffineConstantExpr(blocks);
  Extent shares = affine::makeComposedFoldedAffineMin(
      b, loc, AffineMap::get(1, 0, {n.ceilDiv(minRows), maximum}, b.getContext()), {rows.emit(b, loc)});
  dest = emitTaskParts(b, loc, {shares, count}, dest, [&](OpBuilder &, ValueRange ivs, Value out) {
    RowShare share = emitShare(b, loc, rows, step, shares, ivs[0]);
    return block(share.first, share.count, step, emitAffine(b, loc, ivs[1], 1, firstPanel), width, out);
  });
}

/// Emits the tasks for all rows times `count` panels from `firstPanel` on, of which `width` columns are used.
void LinearLowering::columns(int64_t firstPanel, int64_t count, int64_t width) {
  // If there are at least `tasks` panels, there are enough tasks without a division of the rows. The number of tasks
  // depends on the shape only, not on the number of threads.
  constexpr int64_t tasks = 16;
  int64_t maximum = llvm::divideCeil(tasks, count);
  if (!m.isFixed())
    return anyRows(maximum, firstPanel, count, width);
  int64_t wanted = std::min<int64_t>(maximum, llvm::divideCeil(m.number(), minRows));
  RowBlocks blocks = cutRows(m.number(), tileRows(width, m.number()), wanted);
  rows(0, blocks, firstPanel, count, width);
  if (blocks.rest)
    rows(blocks.blocks * blocks.size, {1, blocks.rest, 0}, firstPanel, count, width);
}

LogicalResult LinearLowering::run() {
  if (failed(prepare()))
    return failure();
  int64_t full = n / panel, rest = n % panel;
  if (full)
    columns(0, full, panel);
  if (rest)
    columns(full, 1, rest);
  if (active) {
    replaceSelected(b, linear, *active, dest);
    return success();
  }
  if (narrowing) {
    replaceNarrowed(b, linear, narrowing, dest);
    return success();
  }
  auto type = cast<RankedTensorType>(linear.getResult().getType());
  b.replaceOp(linear, emitReshape(b, loc, dest, type.getShape()));
  return success();
}

FailureOr<WeightPath> heddle::readWeightPath(transform::TransformState &state, ValueRange params) {
  SmallVector<int64_t, 4> values;
  for (Value param : params) {
    FailureOr<int64_t> value = transforms::getInteger(state, param);
    if (failed(value) || *value < 0)
      return failure();
    values.push_back(*value);
  }
  if (values.empty())
    return WeightPath();
  if (values.size() != 4 || values[3] < 1 || values[3] > 3)
    return failure();
  return WeightPath{values[0] * 1024, {values[1], values[2], values[3]}};
}

DiagnosedSilenceableFailure transforms::LowerLinearOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                  Operation *target,
                                                                  transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("expects heddle.linear as target, found ") << target->getName();
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, {getLanes(), getPanel(), getRegisters()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as lanes, panel and registers");
  FailureOr<WeightPath> path = readWeightPath(state, getWeight());
  if (failed(path))
    return emitDefiniteFailure(
        "expects four non-negative integers as weight: the maximum size of a part of a panel in KiB (0: no maximum), "
        "the prefetch distance in panels, the minimum number of rows for which panels are prefetched, and the level of "
        "the cache to prefetch into (1 to 3)");
  if (failed(LinearLowering(rewriter, linear, (*sizes)[0], (*sizes)[1], (*sizes)[2], *path).run()))
    return emitDefiniteFailure("cannot lower heddle.linear");
  return DiagnosedSilenceableFailure::success();
}
