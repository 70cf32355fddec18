//===- LowerLinearBlocks.cpp - transform.heddle.lower_linear_blocks -------===//
//
// A workgroup computes a block of rows and columns of the result of
// heddle.linear. In each step along the contraction, the threads of the
// workgroup together load a tile of the input and a tile of the weight into
// workgroup memory, in accesses of 128 bits. Each thread then adds the products
// of some rows and a few vectors of columns to sums in registers.
//
// Accesses to workgroup memory have no bank conflicts although tiles have no
// padding, since threads are numbered along columns first. Threads with the
// same row of the block read the same vector of the input's tile at the same
// time. They read adjacent vectors of the weight's tile, since the vectors of a
// thread are interleaved with those of the other threads. Stores that fill a
// tile write adjacent vectors, too.
//
//===----------------------------------------------------------------------===//

#include "LinearBlockLowering.h"
#include "TransformOps.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace heddle;

/// Emits the number of elements from `first` on, at most `size`: max(0, min(all - first, size)).
OpFoldResult LinearBlockLowering::countFrom(OpFoldResult first, OpFoldResult all, int64_t size) {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  AffineMap map = AffineMap::get(2, 0, {d1 - d0, b.getAffineConstantExpr(size)}, b.getContext());
  OpFoldResult rest = affine::makeComposedFoldedAffineMin(b, loc, map, {first, all});
  AffineMap least = AffineMap::get(1, 0, {d0, b.getAffineConstantExpr(0)}, b.getContext());
  return affine::makeComposedFoldedAffineMax(b, loc, least, {rest});
}

/// Sets the members that all blocks share, and adapts the block size to the number of rows.
void LinearBlockLowering::prepare() {
  auto result = cast<RankedTensorType>(linear.getResult().getType());
  element = result.getElementType();
  k = cast<RankedTensorType>(linear.getInput().getType()).getShape().back();
  n = result.getShape().back();
  int64_t rows = result.getNumElements() / n;
  packed = cast<RankedTensorType>(linear.getWeight().getType()).getRank() == 3;
  active = findActiveRows(b, linear.getResult());
  m = Sizes(linear).of(rows).emitOnce(b, loc);
  // A small number of rows is divided among all threads as evenly as possible.
  if (m.high() < block.rows) {
    block.threadRows = std::min(block.threadRows, llvm::divideCeilSigned(m.high(), block.rowThreads()));
    block.rows = llvm::alignTo(m.high(), block.threadRows);
  }
  wholeRows = m.isFixed() && rows % block.rows == 0;
  wholeColumns = n % block.columns == 0;
  input = emitReshape(b, loc, linear.getInput(), {rows, k});
  if (linear.getResidual())
    residual = emitReshape(b, loc, linear.getResidual(), {rows, n});
  dest = emitDestination(b, active ? active->result() : linear.getResult(), RankedTensorType::get({rows, n}, element));
}

/// Loads a tile of the input, [block.rows, depth], from column `from` on. If the tile has more rows than remain in the
/// input, it repeats the last row of the input; the products of repeated rows are not stored.
Value LinearBlockLowering::bringInput(OpFoldResult from, int64_t depth) {
  int64_t wide = k % wideLanes == 0 && depth % wideLanes == 0 ? wideLanes : 1;
  return emitFilledTile(b, loc, input, {block.rows, depth}, wide, [&](ValueRange at) {
    OpFoldResult row = wholeRows
                           ? sum({firstRow, at[0]}, {1, 1})
                           : emitAtMost(b, loc, {firstRow, at[0]}, sum({m.emit(b, loc), b.getIndexAttr(-1)}, {1, 1}));
    return SmallVector<OpFoldResult>{row, sum({from, at[1]}, {1, wide})};
  });
}

/// Loads a tile of the weight from row `from` on: [depth, vectors, columns / vectors]. Index v of the second dimension
/// selects the v-th vector of each thread. Packed panels need no bounds checks, since zeros follow the last column.
Value LinearBlockLowering::bringWeight(OpFoldResult from, int64_t depth) {
  int64_t apart = block.columns / block.vectors;
  int64_t wide = packed || n % wideLanes == 0 ? wideLanes : 1;
  return emitFilledTile(b, loc, linear.getWeight(), {depth, block.vectors, apart}, wide, [&](ValueRange at) {
    OpFoldResult row = sum({from, at[0]}, {1, 1}), column = sum({at[1], at[2]}, {apart, wide});
    if (packed)
      return SmallVector<OpFoldResult>{panel, row, column};
    if (wholeColumns)
      return SmallVector<OpFoldResult>{row, sum({firstColumn, column}, {1, 1})};
    return SmallVector<OpFoldResult>{row, emitAtMost(b, loc, {firstColumn, column}, b.getIndexAttr(n - wide))};
  });
}

/// Emits a loop with one iteration for each thread, and returns the finished `dest`. `body` gets the position of the
/// thread along rows and columns, and returns the part of `dest` that this thread computes.
Value LinearBlockLowering::emitThreads(Value dest, function_ref<TaskPart(ValueRange, Value)> body) {
  Extent counts[] = {block.rowThreads(), block.columnThreads()};
  Value result =
      emitTaskParts(b, loc, counts, dest, [&](OpBuilder &, ValueRange at, Value out) { return body(at, out); });
  MLIRContext *context = b.getContext();
  result.getDefiningOp<scf::ForallOp>().setMappingAttr(
      b.getArrayAttr({gpu::GPUThreadMappingAttr::get(context, gpu::MappingId::DimY),
                      gpu::GPUThreadMappingAttr::get(context, gpu::MappingId::DimX)}));
  return result;
}

/// Emits the sums of a block, initially zeros: [rows, vectors, columns / vectors], with vectors as in bringWeight().
Value LinearBlockLowering::emitSums() {
  SmallVector<int64_t> shape = {block.rows, block.vectors, block.columns / block.vectors};
  Value empty = tensor::EmptyOp::create(b, loc, shape, element);
  SmallVector<int64_t> sizes = {block.threadRows, block.vectors, wideLanes};
  return emitThreads(empty, [&](ValueRange at, Value out) {
    SmallVector<OpFoldResult> place = {sum({at[0]}, {block.threadRows}), b.getIndexAttr(0), sum({at[1]}, {wideLanes})};
    Value tile = emitSlice(b, loc, out, place, sizes);
    tile = linalg::FillOp::create(b, loc, emitFloat(b, loc, element, 0.0), tile).getResult(0);
    return TaskPart{tile, place, getAsIndexOpFoldResult(b.getContext(), sizes)};
  });
}

/// Emits one step of the contraction: adds `depth` terms, beginning with term `from`, to the block's `sums`, and
/// returns the new sums.
Value LinearBlockLowering::emitStep(OpFoldResult from, int64_t depth, Value sums) {
  Value rows = bringInput(from, depth), weights = bringWeight(from, depth);
  SmallVector<int64_t> sizes = {block.threadRows, block.vectors, wideLanes};
  return emitThreads(sums, [&](ValueRange at, Value out) {
    OpFoldResult zero = b.getIndexAttr(0), row = sum({at[0]}, {block.threadRows}), column = sum({at[1]}, {wideLanes});
    SmallVector<OpFoldResult> place = {row, zero, column};
    Value target = emitSlice(b, loc, out, place, sizes);
    Value left = emitSlice(b, loc, rows, {row, zero}, {block.threadRows, depth});
    Value right = emitSlice(b, loc, weights, {zero, zero, column}, {depth, block.vectors, wideLanes});
    AffineExpr i, v, j, p;
    bindDims(b.getContext(), i, v, j, p);
    auto map = [&](ArrayRef<AffineExpr> results) { return AffineMap::get(4, 0, results, b.getContext()); };
    SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    auto product = linalg::GenericOp::create(
        b, loc, target.getType(), {left, right}, target, {map({i, p}), map({p, v, j}), map({i, v, j})}, iterators,
        [&](OpBuilder &body, Location, ValueRange arguments) {
          Value term = arith::MulFOp::create(body, loc, arguments[0], arguments[1]);
          linalg::YieldOp::create(body, loc, Value(arith::AddFOp::create(body, loc, arguments[2], term)));
        });
    return TaskPart{product.getResult(0), place, getAsIndexOpFoldResult(b.getContext(), sizes)};
  });
}

/// Emits the task that computes one block; `at` is the block's number along rows and along columns. Returns the block
/// with its position in the result.
TaskPart LinearBlockLowering::emitBlock(ValueRange at, Value out) {
  panel = at[1];
  firstRow = sum({at[0]}, {block.rows});
  firstColumn = sum({at[1]}, {block.columns});
  height = wholeRows ? b.getIndexAttr(block.rows) : countFrom(firstRow, m.emit(b, loc), block.rows);
  width = wholeColumns ? b.getIndexAttr(block.columns) : countFrom(firstColumn, b.getIndexAttr(n), block.columns);
  SmallVector<OpFoldResult> place = {firstRow, firstColumn}, sizes = {height, width}, ones(2, b.getIndexAttr(1));
  Value target = tensor::ExtractSliceOp::create(b, loc, out, place, sizes, ones);
  Value sums = emitSums();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  int64_t whole = k / block.depth, rest = k % block.depth;
  if (whole == 1) {
    sums = emitStep(b.getIndexAttr(0), block.depth, sums);
  } else if (whole > 1) {
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(whole), constant(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = emitStep(sum({loop.getInductionVar()}, {block.depth}), block.depth, loop.getRegionIterArg(0));
    scf::YieldOp::create(b, loc, next);
    sums = loop.getResult(0);
  }
  if (rest)
    sums = emitStep(b.getIndexAttr(whole * block.depth), rest, sums);
  for (int64_t vector = 0; vector < block.vectors; ++vector)
    target = emitThreads(target, [&](ValueRange thread, Value into) { return emitFinish(thread, vector, sums, into); });
  return {target, place, sizes};
}

LogicalResult LinearBlockLowering::run() {
  Type type = cast<RankedTensorType>(linear.getResult().getType()).getElementType();
  if (!type.isF32() && !type.isF64())
    return linear.emitError("cannot lower a layer on elements of type ") << type << ": only f32 and f64 are supported";
  // Tiles of f64 have half the depth of tiles of f32, so that both have the same size in bytes.
  if (type.isF64())
    block.depth = llvm::divideCeil(block.depth, 2);
  prepare();
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult rowBlocks =
      affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(1, 0, d0.ceilDiv(block.rows)), {m.emit(b, loc)});
  Extent counts[] = {rowBlocks, int64_t(llvm::divideCeil(n, block.columns))};
  dest = emitTaskParts(b, loc, counts, dest, [&](OpBuilder &, ValueRange at, Value out) { return emitBlock(at, out); });
  if (active) {
    replaceSelected(b, linear, *active, dest);
    return success();
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(linear.getResult().getType()).getShape();
  b.replaceOp(linear, emitReshape(b, loc, dest, shape));
  return success();
}

DiagnosedSilenceableFailure transforms::LowerLinearBlocksOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                        Operation *target,
                                                                        transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("expects heddle.linear as target, found ") << target->getName();
  if (linear.getRounding())
    return emitDefiniteFailure("this lowering does not support a layer that rounds the rows of its input");
  FailureOr<SmallVector<int64_t>> sizes =
      getPositive(state, {getRows(), getColumns(), getDepth(), getThreadRows(), getVectors()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as block, depth and registers");
  LinearBlock block = {(*sizes)[0], (*sizes)[1], (*sizes)[2], (*sizes)[3], (*sizes)[4]};
  if (block.rows % block.threadRows || block.columns % (wideLanes * block.vectors))
    return emitDefiniteFailure() << "expects a block that consists of whole register tiles, found a block of "
                                 << block.rows << " x " << block.columns << " and register tiles of "
                                 << block.threadRows << " x " << wideLanes * block.vectors;
  if (failed(LinearBlockLowering(rewriter, linear, block).run()))
    return emitDefiniteFailure("cannot lower heddle.linear");
  return DiagnosedSilenceableFailure::success();
}
