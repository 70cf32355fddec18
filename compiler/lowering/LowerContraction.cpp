//===- LowerContraction.cpp - general contractions as register tiles ------===//

#include "TileTasks.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Lowers one contraction. The first five members are the parameters of lowerContraction (TileTasks.h).
struct ContractionLowering {
  RewriterBase &b;
  linalg::LinalgOp op;
  int64_t lanes, panel, registers;

  SmallVector<int64_t> sizes;           // the number of iterations of each loop
  SmallVector<unsigned> tasks, reduced; // loops whose iterations are tasks; loops over contracted dimensions
  unsigned lane = 0;                    // the loop along the lanes
  int row = -1;                         // the loop over a register tile's rows
  OpOperand *panels = nullptr;          // the operand that `lane` indexes; it is cut into panels
  SmallVector<TileDestination> dests;

  /// Sets the members from `sizes` to `panels`; fails if the contraction is not supported.
  LogicalResult analyse();
  /// Emits the tasks for `count` panels of `width` columns, from column `from` on.
  void columns(int64_t from, int64_t count, int64_t width);
  /// Emits a task for each combination of an iteration of the loops `tasks`, one of `blocks.blocks` blocks of rows and
  /// one of `count` panels. `first` is the part of the iteration space that the first task computes.
  void rows(TileBox first, RowBlocks blocks, int64_t count);
  linalg::LinalgOp packed(OpBuilder &builder, linalg::LinalgOp tile);
  Value task(OpBuilder &builder, const TileBox &box, TileDestination target);
  /// Returns the number of rows of a register tile with `width` columns. `count` rows are cut into as few tiles as the
  /// registers permit. The tiles have nearly equal numbers of rows, at most 14.
  int64_t tileRows(int64_t width, int64_t count) {
    int64_t maximum = std::clamp<int64_t>(registers / llvm::divideCeil(width, lanes), 1, 14);
    return llvm::divideCeil(count, llvm::divideCeil(count, maximum));
  }
};
} // namespace

LogicalResult ContractionLowering::analyse() {
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || op.getNumDpsInputs() != 2)
    return failure();
  sizes = op.getStaticLoopRanges();
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 || !result.isProjectedPermutation())
    return failure();
  lane = cast<AffineDimExpr>(result.getResults().back()).getPosition();
  bool isN = llvm::is_contained(dims->n, lane), isM = llvm::is_contained(dims->m, lane);
  if (!isN && !isM)
    return failure();
  panels = op.getDpsInputOperand(isN ? 1 : 0);
  ArrayRef<unsigned> rowLoops = isN ? dims->m : dims->n;
  // A product with a vector, or with fewer than 4 columns, is left to lowerGeneralOp, which reads operands in place.
  if (rowLoops.empty() || sizes[lane] < 4)
    return failure();
  for (AffineExpr expr : result.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(rowLoops, loop) && (row < 0 || sizes[loop] > 1))
      row = loop;
  }
  int64_t rowCount = sizes[row];
  AffineMap operand = op.getMatchingIndexingMap(panels);
  bool contiguous = operand.getResults().back() == b.getAffineDimExpr(lane);
  if (rowCount == 1 && !contiguous)
    return failure();
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (llvm::is_contained(dims->k, loop))
      reduced.push_back(loop);
    else if (loop != lane && static_cast<int>(loop) != row)
      tasks.push_back(loop);
  return success();
}

/// Copies the panel operand of the op on a tile to [contracted dimensions..., lanes], and returns the op with the copy
/// as its operand. If the lanes are contiguous in the operand and at most 16 rows read it, makes no copy and returns
/// `tile`.
linalg::LinalgOp ContractionLowering::packed(OpBuilder &builder, linalg::LinalgOp tile) {
  OpOperand &operand = tile->getOpOperand(panels->getOperandNumber());
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  bool contiguous = map.getResults().back() == b.getAffineDimExpr(lane);
  SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
  if (contiguous && ranges[row] <= 16)
    return tile;
  Location loc = tile.getLoc();
  SmallVector<unsigned> order = reduced;
  order.push_back(lane);
  // The loops of the copy run in the packed order. Other dimensions of the operand have size 1, and their index is 0.
  SmallVector<int64_t> shape;
  DenseMap<unsigned, unsigned> position;
  for (auto [place, loop] : llvm::enumerate(order)) {
    shape.push_back(ranges[loop]);
    position[loop] = place;
  }
  SmallVector<AffineExpr> source, target;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    source.push_back(position.count(loop) ? builder.getAffineDimExpr(position[loop])
                                          : builder.getAffineConstantExpr(0));
  }
  for (unsigned loop : order)
    target.push_back(builder.getAffineDimExpr(loop));
  Type element = cast<RankedTensorType>(operand.get().getType()).getElementType();
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  SmallVector<AffineMap> maps = {AffineMap::get(order.size(), 0, source, builder.getContext()),
                                 builder.getMultiDimIdentityMap(order.size())};
  SmallVector<utils::IteratorType> parallel(order.size(), utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(builder, loc, empty.getType(), operand.get(), empty, maps, parallel,
                                        [](OpBuilder &body, Location where, ValueRange arguments) {
                                          linalg::YieldOp::create(body, where, arguments[0]);
                                        });
  SmallVector<AffineMap> tileMaps = tile.getIndexingMapsArray();
  tileMaps[operand.getOperandNumber()] = AffineMap::get(sizes.size(), 0, target, builder.getContext());
  SmallVector<Value> inputs(tile.getDpsInputs());
  inputs[operand.getOperandNumber()] = copy.getResult(0);
  auto generic = linalg::GenericOp::create(builder, loc, tile->getResultTypes(), inputs, tile.getDpsInits(), tileMaps,
                                           tile.getIteratorTypesArray());
  IRMapping mapping;
  tile->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  tile->erase();
  return generic;
}

/// Emits the code of one task, which computes the part `box` of the iteration space, and returns its tile of the
/// result.
Value ContractionLowering::task(OpBuilder &builder, const TileBox &box, TileDestination target) {
  Location loc = op.getLoc();
  // First emit the op on the whole task, so that the panel is copied once. Then cut it into row tiles.
  TileDestination unfilled{target.tensor, Value()};
  linalg::LinalgOp whole = packed(builder, emitTileOp(builder, op, box, unfilled));
  Value slice = whole.getDpsInits()[0];
  int64_t count = box.sizes[row], step = tileRows(box.sizes[lane], count);
  Value result = emitRowLoop(builder, loc, count, step, slice, [&](OpBuilder &inner, OpFoldResult at, int64_t size,
                                                                   Value carried) {
    TileBox part{SmallVector<OpFoldResult>(sizes.size(), inner.getIndexAttr(0)), box.sizes};
    part.offsets[row] = at;
    part.sizes[row] = size;
    linalg::LinalgOp tile = emitTileOp(inner, whole, part, TileDestination{carried, target.start});
    TileBox place = resultBox(inner, whole, 0, part);
    return emitInsert(inner, loc, tile->getResult(0), carried, place.offsets, place.sizes);
  });
  whole->erase();
  return result;
}

void ContractionLowering::rows(TileBox first, RowBlocks blocks, int64_t count) {
  SmallVector<unsigned> loops = tasks;
  SmallVector<int64_t> counts;
  for (unsigned loop : tasks) {
    counts.push_back(sizes[loop]);
    first.sizes[loop] = 1;
  }
  loops.push_back(row);
  counts.push_back(blocks.blocks);
  first.sizes[row] = blocks.size;
  loops.push_back(lane);
  counts.push_back(count);
  emitBoxTasks(b, op, first, loops, counts, dests,
               [&](OpBuilder &builder, const TileBox &box, ArrayRef<TileDestination> targets) {
                 return SmallVector<Value>{task(builder, box, targets.front())};
               });
}

void ContractionLowering::columns(int64_t from, int64_t count, int64_t width) {
  TileBox first{SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(0)), sizes};
  first.offsets[lane] = b.getIndexAttr(from);
  first.sizes[lane] = width;
  // Rows are cut into blocks until there are about 16 tasks, but into blocks of at least about 64 rows.
  int64_t already = count;
  for (unsigned loop : tasks)
    already *= sizes[loop];
  int64_t wanted = std::min(llvm::divideCeil(16, already), llvm::divideCeil(sizes[row], 64));
  RowBlocks blocks = cutRows(sizes[row], tileRows(width, sizes[row]), wanted);
  rows(first, blocks, count);
  if (blocks.rest) {
    first.offsets[row] = b.getIndexAttr(blocks.blocks * blocks.size);
    rows(first, {1, blocks.rest, 0}, count);
  }
}

LogicalResult heddle::lowerContraction(RewriterBase &rewriter, linalg::LinalgOp op, int64_t lanes, int64_t panel,
                                       int64_t registers) {
  ContractionLowering lowering{rewriter, op, lanes, panel, registers, {}, {}, {}, 0, -1, nullptr, {}};
  if (failed(lowering.analyse()))
    return failure();
  rewriter.setInsertionPoint(op);
  lowering.dests = emitDestinations(rewriter, op);
  int64_t size = lowering.sizes[lowering.lane], full = size / panel;
  if (full)
    lowering.columns(0, full, panel);
  if (size % panel)
    lowering.columns(full * panel, 1, size % panel);
  rewriter.replaceOp(op, lowering.dests.front().tensor);
  return success();
}
