//===- BoxSums.cpp - sums shared among threads ----------------------------===//

#include "BoxLowering.h"
#include "TileTasks.h"
#include "WorkgroupTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Returns the number of terms per step of a contraction if an f32 operand with `rows` rows is copied to workgroup
/// memory: 32, fewer if the tile would otherwise be too large, or 0 if even a tile with one vector per row is too
/// large.
static int64_t stagedDepth(int64_t rows) {
  constexpr int64_t most = 32, tileElements = 2048;
  int64_t depth = tileElements / rows - wideLanes;
  return depth < wideLanes ? 0 : std::min<int64_t>(most, llvm::bit_floor(uint64_t(depth)));
}

/// Returns the number of rows of an operand whose last dimension is contracted.
int64_t BoxLowering::rowsOf(AffineMap map) {
  int64_t rows = 1;
  for (AffineExpr dim : map.getResults().drop_back())
    rows *= ranges[cast<AffineDimExpr>(dim).getPosition()];
  return rows;
}

/// Returns the operand of a contraction that must be copied to workgroup memory, or null. Such an operand is a kernel
/// argument or a shared output of the outermost scf.forall, or a slice or reshape of one (isPassed). Its last dimension
/// is contracted, and it does not vary along the lanes of the result. Without a copy, adjacent threads would read the
/// operand at distant addresses. Operands of a long contraction, of a type other than f32 or with too many rows are not
/// copied.
OpOperand *BoxLowering::findStaged() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto type = cast<RankedTensorType>(input->get().getType());
    if (sum && op.getNumDpsInputs() > 1 && !isLongContraction() && lastLoop(map) == sum &&
        map.isProjectedPermutation() && !map.isFunctionOfDim(order.back()) && isPassed(input->get()) &&
        type.getElementType().isF32() && stagedDepth(rowsOf(map)) > 0)
      return input;
  }
  return nullptr;
}

/// Emits the contraction in steps. Each step copies a part of `operand` to workgroup memory. In this memory, an unused
/// vector follows each row, so that the rows that adjacent threads read begin in different banks.
Value BoxLowering::emitStaged(OpOperand &operand) {
  Value source = operand.get(), sums = op.getDpsInits()[0];
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto emitPart = [&](OpFoldResult from, int64_t depth, Value carried) {
    TileBox part = {SmallVector<OpFoldResult>(ranges.size(), b.getIndexAttr(0)), ranges};
    part.offsets[*sum] = from;
    part.sizes[*sum] = depth;
    linalg::LinalgOp step = emitTileOp(b, op, part, {{carried, Value()}});
    b.setInsertionPoint(step);
    SmallVector<int64_t> shape;
    for (AffineExpr dim : map.getResults())
      shape.push_back(part.sizes[cast<AffineDimExpr>(dim).getPosition()]);
    int64_t columns = cast<RankedTensorType>(source.getType()).getShape().back();
    int64_t wide = depth % wideLanes == 0 && columns % wideLanes == 0 ? wideLanes : 1;
    Value tile = emitFilledTile(
        b, loc, source, shape, wide,
        [&](ValueRange at) {
          SmallVector<OpFoldResult> place(getAsOpFoldResult(at));
          OpFoldResult column = emitAffine(b, loc, place.back(), wide, 0);
          place.back() = emitSum(b, loc, {from, column});
          return place;
        },
        /*apart=*/wideLanes);
    b.modifyOpInPlace(step, [&] { step->setOperand(operand.getOperandNumber(), tile); });
    BoxLowering lowering(b, step, threads);
    bool fits = lowering.classify();
    assert(fits && "a step has the form of the whole contraction");
    (void)fits;
    Value result = lowering.emitBoxes()[0];
    b.replaceOp(step, result);
    b.setInsertionPointAfterValue(result);
    return result;
  };
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  int64_t depth = std::min(stagedDepth(rowsOf(map)), ranges[*sum]);
  int64_t whole = ranges[*sum] / depth, rest = ranges[*sum] % depth;
  if (whole == 1) {
    sums = emitPart(b.getIndexAttr(0), depth, sums);
  } else {
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(whole), constant(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = emitPart(emitAffine(b, loc, loop.getInductionVar(), depth, 0), depth, loop.getRegionIterArg(0));
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, next);
    sums = loop.getResult(0);
  }
  return rest ? emitPart(b.getIndexAttr(whole * depth), rest, sums) : sums;
}

/// Divides each sum into equal parts, one for each of several threads, and then combines the parts with copies of
/// `combiner`, the op that the reduction uses; `neutral` is its neutral element. Returns the result, or null if too few
/// threads are idle or the number of terms has no suitable divisor.
Value BoxLowering::emitParts(TypedAttr neutral, Operation *combiner) {
  int64_t parts = std::min(threads / countBoxes(), ranges[*sum]);
  while (parts > 1 && ranges[*sum] % parts != 0)
    --parts;
  if (parts < 2)
    return Value();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape()), sizes(1, 1);
  SmallVector<Extent> counts(1, parts);
  shape.insert(shape.begin(), parts);
  for (unsigned loop : order) {
    sizes.push_back(box[loop]);
    counts.push_back(ranges[loop] / box[loop]);
  }
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Value partial = emitTaskParts(b, loc, counts, empty, [&](OpBuilder &, ValueRange at, Value out) {
    TileBox part = {SmallVector<OpFoldResult>(ranges.size(), b.getIndexAttr(0)), box};
    part.sizes[*sum] = ranges[*sum] / parts;
    part.offsets[*sum] = emitAffine(b, loc, at[0], part.sizes[*sum], 0);
    SmallVector<OpFoldResult> place(1, at[0]);
    for (auto [loop, iv] : llvm::zip(order, at.drop_front()))
      place.push_back(part.offsets[loop] = emitAffine(b, loc, iv, box[loop], 0));
    SmallVector<int64_t> kept(sizes);
    kept.front() = 0;
    linalg::LinalgOp tile = emitTileOp(b, op, part, {{op.getDpsInits()[0], Value()}});
    b.setInsertionPoint(tile);
    Value start = arith::ConstantOp::create(b, loc, neutral);
    Value target = linalg::FillOp::create(b, loc, start, emitSlice(b, loc, out, place, kept)).getResult(0);
    b.modifyOpInPlace(tile, [&] { tile.getDpsInitsMutable()[0].set(target); });
    b.setInsertionPointAfter(tile);
    return TaskPart{tile->getResult(0), place, getAsIndexOpFoldResult(b.getContext(), sizes)};
  });
  mapToThreads(partial, parts * countBoxes());
  AffineMap whole = b.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  iterators.front() = utils::IteratorType::reduction;
  auto joined = linalg::GenericOp::create(b, loc, type, partial, op.getDpsInits()[0], {whole, whole.dropResult(0)},
                                          iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
                                            Operation *join = body.clone(*combiner);
                                            join->setOperands({arguments[1], arguments[0]});
                                            linalg::YieldOp::create(body, loc, join->getResult(0));
                                          });
  BoxLowering lowering(b, joined, 1); // with one thread, chooseBox() makes tiles as large as possible
  bool fits = lowering.classify();
  assert(fits && "the sum of the parts has the form of the whole sum");
  (void)fits;
  Value result = lowering.emitBoxes()[0];
  b.replaceOp(joined, result);
  return result;
}
