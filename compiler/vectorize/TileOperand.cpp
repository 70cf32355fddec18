//===- TileOperand.cpp - reads and writes of a tile's elements ------------===//

#include "Hints.h"
#include "TileVectorizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

Value TileVectorizer::toValue(OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(b, loc, index);
}

OpFoldResult TileVectorizer::add(OpFoldResult index, int64_t offset) {
  if (offset == 0)
    return index;
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return b.getIndexAttr(*constant + offset);
  Value by = toValue(b.getIndexAttr(offset));
  return arith::AddIOp::create(b, loc, toValue(index), by).getResult();
}

SmallVector<OpFoldResult> TileVectorizer::indices(AffineMap map, const TilePoint &point) {
  SmallVector<OpFoldResult> result;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.push_back(point.at[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      result.push_back(b.getIndexAttr(constant.getValue()));
    else
      result.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, AffineMap::get(map.getNumDims(), 0, expr, b.getContext()), point.at));
  }
  return result;
}

/// Whether lanes that fill less than half a vector are half a vector: that halves the time of arithmetic on CPUs with
/// units so wide. In products, and in what is done to these while they are in registers; what reads its operands from
/// memory elsewhere had better read the same vectors as other ops do (layer norm loses 5%).
bool TileVectorizer::usesHalves() {
  if (plan.lane < 0 || plan.laneReduced || plan.transposed >= 0 || lanes < 8 || lanes % 2)
    return false;
  if (llvm::is_contained(plan.reduction, true))
    return true;
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    const RegisterTile *tile = registerTile(input);
    return tile && !tile->scalar && llvm::any_of(tile->parts, [&](const auto &part) {
      return cast<VectorType>(part.second.getType()).getNumElements() < lanes;
    });
  });
}

int64_t TileVectorizer::widthFor(int64_t valid) { return halves && valid <= lanes / 2 ? lanes / 2 : lanes; }

/// A vector from registers, that may have been written by another op: its first lanes, or undefined ones behind them.
Value TileVectorizer::inWidth(Value vector) {
  int64_t has = cast<VectorType>(vector.getType()).getNumElements();
  if (has == width)
    return vector;
  SmallVector<int64_t> first(width, vector::ShuffleOp::kPoisonIndex);
  std::iota(first.begin(), first.begin() + std::min(has, width), 0);
  return vector::ShuffleOp::create(b, loc, vector, vector, first);
}

Value TileVectorizer::laneMask(int64_t valid) {
  return vector::ConstantMaskOp::create(b, loc, vectorOf(b.getI1Type()), ArrayRef<int64_t>{valid});
}

/// The tile that is in registers, or the one of which `tensor` is the first rows and columns.
const RegisterTile *TileVectorizer::registerTile(Value tensor) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    bool leading = llvm::all_of(slice.getMixedOffsets(), [](OpFoldResult o) { return isConstantIntValue(o, 0); }) &&
                   slice.hasUnitStride() && slice.getType().getRank() == slice.getSourceType().getRank();
    if (!leading)
      return nullptr;
    tensor = slice.getSource();
  }
  auto found = registers.find(tensor);
  return found == registers.end() || found->second.block != op->getBlock() ? nullptr : &found->second;
}

/// The element, or the vector that starts there, if the tile is in registers.
Value TileVectorizer::fromRegisters(Value tensor, ArrayRef<OpFoldResult> at, bool vector) {
  const RegisterTile *found = registerTile(tensor);
  if (!found)
    return nullptr;
  const RegisterTile &tile = *found;
  std::vector<int64_t> key;
  for (OpFoldResult index : at) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    if (!constant)
      return nullptr;
    key.push_back(*constant);
  }
  if (tile.scalar || key.empty()) {
    auto part = tile.parts.find(key);
    return part == tile.parts.end() || vector ? Value() : part->second;
  }
  int64_t lane = key.back() % lanes;
  key.back() -= lane;
  auto part = tile.parts.find(key);
  if (part == tile.parts.end() || (vector && lane))
    return nullptr;
  return vector ? part->second : Value(vector::ExtractOp::create(b, loc, part->second, lane));
}

Value TileVectorizer::scalarAt(Value tensor, ArrayRef<OpFoldResult> at) {
  if (Value part = fromRegisters(tensor, at, false))
    return part;
  SmallVector<Value> indices;
  for (OpFoldResult index : at)
    indices.push_back(toValue(index));
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}

/// Lanes past `valid` read nothing: they hold 0, integers 1 (someone may divide by them).
Value TileVectorizer::readVector(Value tensor, ArrayRef<OpFoldResult> at, int64_t valid) {
  if (Value part = fromRegisters(tensor, at, true))
    return inWidth(part);
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  TypedAttr zero = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, 0.0)) : b.getIntegerAttr(element, 1);
  Value padding = arith::ConstantOp::create(b, loc, zero);
  SmallVector<Value> indices;
  for (OpFoldResult index : at)
    indices.push_back(toValue(index));
  AffineMap map = AffineMap::getMinorIdentityMap(type.getRank(), 1, b.getContext());
  Value mask = valid < width ? laneMask(valid) : Value();
  return vector::TransferReadOp::create(b, loc, vectorOf(element), tensor, indices, AffineMapAttr::get(map), padding,
                                        mask, b.getBoolArrayAttr({true}));
}

LaneValue TileVectorizer::read(OpOperand &operand, Value tensor, const TilePoint &point) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {LaneValue::Uniform, tensor};
  width = widthFor(point.valid);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> at = indices(map, point);
  if (plan.lane < 0 || !map.isFunctionOfDim(plan.lane))
    return {LaneValue::Uniform, scalarAt(tensor, at)};
  AffineExpr lane = b.getAffineDimExpr(plan.lane);
  bool last = map.getResults().back() == lane;
  for (AffineExpr expr : map.getResults().drop_back())
    last &= !expr.isFunctionOfDim(plan.lane);
  if (last)
    return {LaneValue::Vector, readVector(tensor, at, point.valid)};
  if (plan.transposed >= 0 && map == op.getMatchingIndexingMap(&op->getOpOperand(plan.transposed)))
    return readTransposed(operand, tensor, point);

  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i) {
    if (i >= point.valid) {
      elements.push_back(elements.front());
      continue;
    }
    TilePoint place = point;
    place.at[plan.lane] = add(point.at[plan.lane], i);
    elements.push_back(scalarAt(tensor, indices(map, place)));
  }
  return {LaneValue::Vector, vector::FromElementsOp::create(b, loc, vectorOf(type.getElementType()), elements)};
}

bool TileVectorizer::onlyPrefetched(OpOperand &input) {
  return op->hasAttr(prefetchAttr) && !op.payloadUsesValueFromOperand(&input);
}

void TileVectorizer::prefetch(OpOperand &input, const TilePoint &point) {
  auto type = cast<RankedTensorType>(input.get().getType());
  SmallVector<Value> at;
  for (OpFoldResult index : indices(op.getMatchingIndexingMap(&input), point))
    at.push_back(toValue(index));
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                                       SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic));
  auto buffer = MemRefType::get(type.getShape(), type.getElementType(), layout);
  Value memory = bufferization::ToBufferOp::create(b, loc, buffer, input.get(), /*read_only=*/true);
  int64_t locality = op->getAttrOfType<IntegerAttr>(prefetchAttr).getInt();
  memref::PrefetchOp::create(b, loc, memory, at, /*isWrite=*/false, locality, /*isDataCache=*/true);
}

/// Transposes a square of vectors by exchanging ever smaller blocks. (vector.transpose would
/// be canonicalised into single elements.)
void TileVectorizer::turn(Values &rows) {
  for (int64_t size = lanes / 2; size; size /= 2) {
    SmallVector<int64_t> low(lanes), high(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      low[lane] = lane & size ? lanes + lane - size : lane;
      high[lane] = lane & size ? lanes + lane : lane + size;
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & size)
        continue;
      Value left = rows[row], right = rows[row + size];
      rows[row] = vector::ShuffleOp::create(b, loc, left, right, low);
      rows[row + size] = vector::ShuffleOp::create(b, loc, left, right, high);
    }
  }
}

/// Reads a square whose rows are contiguous in memory and turns it, once for all its rows.
LaneValue TileVectorizer::readTransposed(OpOperand &operand, Value tensor, const TilePoint &point) {
  std::optional<int64_t> chunk = getConstantIntValue(point.at[plan.lane]);
  Values &rows = squares[{operand.getOperandNumber(), chunk.value_or(-1)}];
  if (rows.empty()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (lane >= point.valid) {
        rows.push_back(rows.front());
        continue;
      }
      TilePoint place = point; // the first of its rows: it is the first to ask
      place.at[plan.lane] = add(point.at[plan.lane], lane);
      rows.push_back(readVector(tensor, indices(map, place), point.rows));
    }
    turn(rows);
  }
  return {LaneValue::Vector, rows[point.row]};
}

Value TileVectorizer::write(OpOperand &init, Value tensor, const TilePoint &point, LaneValue value, bool laneInside) {
  width = widthFor(point.valid);
  AffineMap map = op.getMatchingIndexingMap(&init);
  SmallVector<OpFoldResult> at = indices(map, point);
  SmallVector<Value> places;
  for (OpFoldResult index : at)
    places.push_back(toValue(index));
  bool scalar = plan.lane < 0 || !laneInside || !map.isFunctionOfDim(plan.lane);
  unsigned output = init.getOperandNumber() - op.getNumDpsInputs();
  auto record = [&](Value part) {
    std::vector<int64_t> key;
    for (OpFoldResult index : at)
      if (std::optional<int64_t> constant = getConstantIntValue(index))
        key.push_back(*constant);
    if (recording && key.size() == at.size()) {
      recorded[output].scalar = scalar;
      recorded[output].parts[key] = part;
    }
  };
  if (scalar) {
    record(value.value);
    return tensor::InsertOp::create(b, loc, value.value, tensor, places);
  }
  Value vector = asVector(value);
  if (map.getResults().back() == b.getAffineDimExpr(plan.lane)) {
    record(vector);
    AffineMap minor = AffineMap::getMinorIdentityMap(places.size(), 1, b.getContext());
    Value mask = point.valid < width ? laneMask(point.valid) : Value();
    return vector::TransferWriteOp::create(b, loc, vector, tensor, places, AffineMapAttr::get(minor), mask,
                                           b.getBoolArrayAttr({true}))
        .getResult();
  }
  for (int64_t lane = 0; lane < point.valid; ++lane) {
    TilePoint place = point;
    place.at[plan.lane] = add(point.at[plan.lane], lane);
    SmallVector<Value> indexValues;
    for (OpFoldResult index : indices(map, place))
      indexValues.push_back(toValue(index));
    Value element = vector::ExtractOp::create(b, loc, vector, lane);
    tensor = tensor::InsertOp::create(b, loc, element, tensor, indexValues);
  }
  return tensor;
}
