//===- StoredReads.cpp - reads of dequantized tensors ---------------------===//

#include "StoredReads.h"

#include "ops/BlockViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Emits the computation of dequantized elements, for scalars and vectors. `Read` emits a read of the needed elements
/// of a tensor: the input, the scales, the zero points, the minima or the outlier rows.
struct StoredReader : ImplicitLocOpBuilder {
  using Read = llvm::function_ref<Value(Value tensor)>;

  StoredReader(OpBuilder &b, Location loc, DequantizeOp op)
      : ImplicitLocOpBuilder(loc, b), op(op), element(getElementTypeOrSelf(op.getType())) {}

  /// Emits (input - zero_points) * scales + minima. `ofElements` reads the input; `ofBlocks` reads scales, zero points
  /// and minima.
  Value compute(Read ofElements, Read ofBlocks);
  /// Emits a choice at run time: the result is `value` or, if `row` is an outlier row, the element that `ofOutliers`
  /// reads at the index of this row among the outlier rows. Returns `value` if there are no outlier rows.
  Value orOutlier(Value value, Value row, llvm::function_ref<Value(Value number)> ofOutliers);

  /// Returns the row index of outlier row number `i`.
  Value outlierRow(int64_t i) {
    Value numbers = op.getOutlierIndices();
    if (!numbers)
      return number(op.getOutlierRows()[i]);
    return arith::IndexCastOp::create(*this, getIndexType(), tensor::ExtractOp::create(*this, numbers, number(i)));
  }
  /// Emits a constant index.
  Value number(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }
  Value quotient(Value index, int64_t divisor) {
    return getValueOrCreateConstantIndexOp(
        *this, getLoc(),
        affine::makeComposedFoldedAffineApply(*this, getLoc(), getAffineDimExpr(0).floorDiv(divisor), {index}));
  }
  /// Returns the length of dimension `dim` of the input.
  int64_t size(unsigned dim) { return cast<RankedTensorType>(op.getInput().getType()).getDimSize(dim); }
  /// Returns whether one block spans the whole dimension `dim`.
  bool isOneBlock(unsigned dim) {
    return !ShapedType::isDynamic(size(dim)) && op.getBlock()[dim] >= size(dim);
  }

private:
  /// Returns the type `wanted`, or a vector of it if `value` is a vector.
  Type like(Value value, Type wanted) {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(vector.clone(wanted)) : wanted;
  }
  Value widened(Value value) { // converts scales and minima from their stored type
    Type type = like(value, element);
    if (value.getType() == type)
      return value;
    bool isWider = getElementTypeOrSelf(value).getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth();
    return isWider ? Value(arith::TruncFOp::create(*this, type, value))
                   : Value(arith::ExtFOp::create(*this, type, value));
  }
  Value integer(Value byte) { return arith::ExtSIOp::create(*this, like(byte, getI32Type()), byte); }

protected:
  DequantizeOp op;
  Type element; // the element type of the result of `op`
};

/// Emits the computation of a vector of dequantized elements. A block is the part of the input that shares one scale.
struct BlockVector : StoredReader {
  BlockVector(OpBuilder &b, vector::TransferReadOp read, DequantizeOp op)
      : StoredReader(b, read.getLoc(), op), read(read), map(read.getPermutationMap()),
        indices(read.getIndices().begin(), read.getIndices().end()) {}

  /// Determines how the lanes map to blocks; fails if the mapping is not supported.
  LogicalResult prepare();
  Value emit();

private:
  Value ofElements(Value tensor) {
    return readOf(tensor, indices, map, read.getMask());
  }
  Value ofBlocks(Value tensor);
  Value ofOutliers(Value number);
  Value readOf(Value tensor, ValueRange at, AffineMap lanes, Value mask) {
    Type type = getElementTypeOrSelf(tensor);
    Value padding = arith::ConstantOp::create(*this, getZeroAttr(type));
    return vector::TransferReadOp::create(*this, read.getVectorType().clone(type), tensor, at,
                                          AffineMapAttr::get(lanes), padding, mask, read.getInBoundsAttr());
  }

  vector::TransferReadOp read;
  AffineMap map, blockMap;                  // from a tensor's dimensions to lanes: for elements, and for scales
  SmallVector<Value> indices, blockIndices; // the indices of the first element, and of its block
  std::optional<unsigned> crossed; // the dimension along which the lanes may lie in several blocks
  bool sharesBlocks = false;       // whether masked-off lanes may read the scales of other lanes
};
} // namespace

Value StoredReader::compute(Read ofElements, Read ofBlocks) {
  Value integers = integer(ofElements(op.getInput()));
  if (op.getZeroPoints())
    integers = arith::SubIOp::create(*this, integers, integer(ofBlocks(op.getZeroPoints())));
  Value value = arith::SIToFPOp::create(*this, like(integers, element), integers);
  value = arith::MulFOp::create(*this, value, widened(ofBlocks(op.getScales())));
  if (op.getMinima())
    value = arith::AddFOp::create(*this, value, widened(ofBlocks(op.getMinima())));
  return value;
}

Value StoredReader::orOutlier(Value value, Value row, llvm::function_ref<Value(Value)> ofOutliers) {
  if (!op.getOutliers())
    return value;
  Value isOutlier, position = number(0);
  for (int64_t i = 0, count = cast<RankedTensorType>(op.getOutliers().getType()).getDimSize(0); i < count; ++i) {
    Value is = arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, row, outlierRow(i));
    position = i ? Value(arith::SelectOp::create(*this, is, number(i), position)) : position;
    isOutlier = isOutlier ? Value(arith::OrIOp::create(*this, isOutlier, is)) : is;
  }
  return arith::SelectOp::create(*this, isOutlier, ofOutliers(position), value);
}

Value heddle::emitStoredElement(OpBuilder &b, Location loc, DequantizeOp op, ValueRange indices) {
  StoredReader reader(b, loc, op);
  SmallVector<Value> blocks;
  for (auto [dim, index] : llvm::enumerate(indices))
    blocks.push_back(reader.isOneBlock(dim) ? reader.number(0) : reader.quotient(index, op.getBlock()[dim]));
  auto at = [&](ValueRange where) {
    return [&reader, where](Value tensor) -> Value { return tensor::ExtractOp::create(reader, tensor, where); };
  };
  auto ofElements = at(indices);
  auto ofBlocks = at(blocks);
  Value value = reader.compute(ofElements, ofBlocks);
  if (!op.getOutliers())
    return value;
  return reader.orOutlier(value, indices[0], [&](Value number) -> Value {
    SmallVector<Value> where(indices);
    where[0] = number;
    return tensor::ExtractOp::create(reader, op.getOutliers(), where);
  });
}

LogicalResult BlockVector::prepare() {
  FloatAttr padding;
  bool isWithin = llvm::all_of(read.getInBoundsValues(), [](bool within) { return within; });
  if (!isWithin || !map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
      !matchPattern(read.getPadding(), m_Constant(&padding)) || !padding.getValue().isZero() ||
      (op.getOutliers() && map.isFunctionOfDim(0)))
    return failure();
  SmallVector<AffineExpr> lanes(map.getResults());
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t block = op.getBlock()[dim];
    std::optional<unsigned> at = map.getResultPosition(getAffineDimExpr(dim));
    if (block == 1) {
      blockIndices.push_back(index);
      continue;
    }
    blockIndices.push_back(isOneBlock(dim) ? number(0) : quotient(index, block));
    if (!at)
      continue;
    lanes[*at] = getAffineConstantExpr(0); // a read returns the values of one block for all lanes along this dimension
    sharesBlocks = true;
    int64_t length = read.getVectorType().getDimSize(*at);
    if (isOneBlock(dim) || length == 1 || (block % length == 0 && knownDivisor(index) % length == 0))
      continue;
    if (crossed || read.getVectorType().getRank() != 1)
      return failure();
    crossed = dim;
  }
  if (read.getMask() && read.getVectorType().getRank() != 1)
    return failure();
  blockMap = AffineMap::get(map.getNumDims(), 0, lanes, getContext());
  return success();
}

Value BlockVector::ofBlocks(Value tensor) {
  bool isMasked = read.getMask() && blockMap == map;
  Value first = readOf(tensor, blockIndices, blockMap, isMasked ? read.getMask() : Value());
  if (!crossed)
    return first;
  // Reads the values (such as scales) for the lanes in the first block, then the values for the lanes in the next
  // block, and so on, until all lanes have their values.
  int64_t block = op.getBlock()[*crossed], length = read.getVectorType().getDimSize(0);
  Value step = vector::StepOp::create(*this, VectorType::get({length}, getIndexType()));
  Value start = arith::SubIOp::create(*this, arith::MulIOp::create(*this, blockIndices[*crossed], number(block)),
                                      indices[*crossed]); // the lane at which the first block begins
  Value last = arith::SubIOp::create(
      *this, tensor::DimOp::create(*this, tensor, *crossed).getResult(), number(1));
  for (int64_t next = 1; (next - 1) * block + 1 < length; ++next) {
    SmallVector<Value> at(blockIndices);
    at[*crossed] = arith::MinSIOp::create(
        *this, arith::AddIOp::create(*this, at[*crossed], number(next)), last);
    Value begins = arith::AddIOp::create(*this, start, number(next * block));
    Value isBehind = arith::CmpIOp::create(*this, arith::CmpIPredicate::sge, step,
                                           vector::BroadcastOp::create(*this, step.getType(), begins));
    first = arith::SelectOp::create(*this, isBehind, readOf(tensor, at, blockMap, Value()), first);
  }
  return first;
}

Value BlockVector::ofOutliers(Value number) {
  SmallVector<Value> at(indices);
  at[0] = number;
  return readOf(op.getOutliers(), at, map, read.getMask());
}

Value BlockVector::emit() {
  Value value = compute([&](Value tensor) { return ofElements(tensor); },
                        [&](Value tensor) { return ofBlocks(tensor); });
  if (read.getMask() && (sharesBlocks || op.getZeroPoints() || op.getMinima())) {
    Value none = arith::ConstantOp::create(*this, getZeroAttr(value.getType()));
    value = arith::SelectOp::create(*this, read.getMask(), value, none);
  }
  return orOutlier(value, indices.empty() ? Value() : indices[0], [&](Value number) { return ofOutliers(number); });
}

Value heddle::emitStoredVector(OpBuilder &b, vector::TransferReadOp read, DequantizeOp op) {
  BlockVector reader(b, read, op);
  return failed(reader.prepare()) ? Value() : reader.emit();
}
