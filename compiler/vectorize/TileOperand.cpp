//===- TileOperand.cpp - reads and writes of a tile's elements ------------===//

#include "LaneShuffles.h"
#include "TileVectorizer.h"

#include "Notes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns the indices into an operand with this indexing map, at a point of the iteration space.
SmallVector<OpFoldResult> TileVectorizer::indices(AffineMap map, const TilePoint &point) {
  SmallVector<OpFoldResult> result;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.push_back(point.at[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      result.push_back(b.getIndexAttr(constant.getValue()));
    else
      result.push_back(affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), AffineMap::get(map.getNumDims(), 0, expr, b.getContext()), point.at));
  }
  return result;
}

/// Returns whether vectors get half the width if at most half of their lanes are filled. Such half vectors are used by
/// reductions whose lanes hold separate results, and by ops that read these results from registers. Other ops read
/// memory that was written as full vectors, and are faster if they read it in vectors of the same width. (With half
/// vectors in all ops, layer norm would take 5% longer.)
bool TileVectorizer::usesHalves() {
  if (plan.lane < 0 || plan.laneReduced || plan.transposed >= 0)
    return false;
  if (llvm::is_contained(plan.reduction, true))
    return true;
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    const RegisterTile *tile = registers.find(input);
    return tile && !tile->scalar && llvm::any_of(tile->parts, [&](const auto &part) {
      return cast<VectorType>(part.second.getType()).getNumElements() < lanes;
    });
  });
}

/// Returns the width of a vector with `valid` filled lanes.
int64_t TileVectorizer::widthFor(int64_t valid) { return halves ? chooseWidth(valid, options) : lanes; }

/// Returns whether the lanes of a vector are adjacent elements. The last index must be the loop along the lanes, or the
/// remainder of this loop's index modulo the width of a panel, if panels consist of whole vectors. In the second case,
/// another index may be the number of the panel.
static bool isContiguous(AffineMap map, int loop, int64_t width) {
  AffineExpr lane = getAffineDimExpr(loop, map.getContext()), last = map.getResults().back(), number;
  if (auto rest = dyn_cast<AffineBinaryOpExpr>(last); rest && rest.getKind() == AffineExprKind::Mod) {
    auto panel = dyn_cast<AffineConstantExpr>(rest.getRHS());
    if (rest.getLHS() != lane || !panel || panel.getValue() % width != 0)
      return false;
    number = lane.floorDiv(panel);
  } else if (last != lane) {
    return false;
  }
  return llvm::all_of(map.getResults().drop_back(),
                      [&](AffineExpr expr) { return expr == number || !expr.isFunctionOfDim(loop); });
}

/// Reads the elements of an operand for a point: a scalar, or a vector along the lanes. `tensor` is the current value
/// of the operand.
LaneValue TileVectorizer::read(OpOperand &operand, Value tensor, const TilePoint &point) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {LaneValue::Uniform, tensor};
  int64_t width = widthFor(point.valid);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> at = indices(map, point);
  if (plan.lane < 0 || !map.isFunctionOfDim(plan.lane))
    return {LaneValue::Uniform, registers.element(tensor, at)};
  if (isContiguous(map, plan.lane, width))
    return {LaneValue::Vector, registers.vector(tensor, at, width, point.valid)};
  if (plan.transposed >= 0 && map == op.getMatchingIndexingMap(&op->getOpOperand(plan.transposed)))
    return readTransposed(operand, tensor, point);

  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i) {
    if (i >= point.valid) {
      elements.push_back(elements.front());
      continue;
    }
    TilePoint place = point;
    place.at[plan.lane] = b.add(point.at[plan.lane], i);
    elements.push_back(registers.element(tensor, indices(map, place)));
  }
  auto vector = VectorType::get({width}, type.getElementType());
  return {LaneValue::Vector, vector::FromElementsOp::create(b, vector, elements)};
}

/// Returns whether the body does not use the input, which the op then only prefetches.
bool TileVectorizer::onlyPrefetched(OpOperand &input) {
  return notes::prefetch.has(op) && !op.payloadUsesValueFromOperand(&input);
}

void TileVectorizer::prefetch(OpOperand &input, const TilePoint &point) {
  SmallVector<OpFoldResult> at = indices(op.getMatchingIndexingMap(&input), point);
  b.prefetch(b.memory(input.get()), at, *notes::prefetch.get(op));
}

/// Reads a row of a square tile of a transposed operand. The first read loads and transposes the whole tile; reads of
/// its other rows use the result.
LaneValue TileVectorizer::readTransposed(OpOperand &operand, Value tensor, const TilePoint &point) {
  std::optional<int64_t> chunk = getConstantIntValue(point.at[plan.lane]);
  // In a loop along the lanes, the lane index is not constant. The key is then -1: the tile belongs to one iteration.
  Values &rows = transposedTiles[{operand.getOperandNumber(), chunk.value_or(-1)}];
  if (rows.empty()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (lane >= point.valid) {
        rows.push_back(rows.front());
        continue;
      }
      TilePoint place = point; // the first row of the tile, since reads begin with it
      place.at[plan.lane] = b.add(point.at[plan.lane], lane);
      rows.push_back(registers.vector(tensor, indices(map, place), lanes, point.rows));
    }
    rows = transposeSquare(b, rows);
  }
  return {LaneValue::Vector, rows[point.row]};
}

/// Returns whether `tensor` is a slice that dropped the last dimension of a larger tensor, so its elements are not
/// contiguous.
static bool isColumn(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice.getDroppedDims().test(slice.getSourceType().getRank() - 1);
}

/// Writes the value of a point to `tensor`, the current value of `init`, and returns the new tensor. `laneInside`:
/// whether the lanes hold separate results, not one folded result.
Value TileVectorizer::write(OpOperand &init, Value tensor, const TilePoint &point, LaneValue value, bool laneInside) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  SmallVector<OpFoldResult> at = indices(map, point);
  bool scalar = plan.lane < 0 || !laneInside || !map.isFunctionOfDim(plan.lane);
  auto insert = [&](Value element, ArrayRef<OpFoldResult> place) {
    auto indices = llvm::map_to_vector(place, [&](OpFoldResult index) { return b.index(index); });
    return tensor::InsertOp::create(b, element, tensor, indices);
  };
  auto record = [&](Value part) {
    if (recording)
      recorded[init.getOperandNumber() - op.getNumDpsInputs()].record(at, part, scalar);
  };
  if (scalar) {
    record(value.value);
    return insert(value.value, at);
  }
  Value vector = asVector(b, value, widthFor(point.valid));
  if (map.getResults().back() == b.getAffineDimExpr(plan.lane) && !isColumn(init.get())) {
    record(vector);
    return b.write(vector, tensor, at, point.valid);
  }
  for (int64_t lane = 0; lane < point.valid; ++lane) {
    TilePoint place = point;
    place.at[plan.lane] = b.add(point.at[plan.lane], lane);
    tensor = insert(vector::ExtractOp::create(b, vector, lane), indices(map, place));
  }
  return tensor;
}
