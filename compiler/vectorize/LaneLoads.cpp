//===- LaneLoads.cpp - operands to lane vectors and back -------------------===//

#include "LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

bool LaneEmitter::isBound(AffineMap map) {
  return llvm::all_of(llvm::seq(map.getNumResults()),
                      [&](unsigned i) { return bool(base[map.getDimPosition(i)]); });
}

/// Loads every input as far out as its indices are known: views of one arena
/// look aliased to LLVM, which would leave the load in the loop.
void LaneEmitter::preload() {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!isa<ShapedType>(operand->get().getType()) || !isBound(map))
      continue;
    if (!op.payloadUsesValueFromOperand(operand) || loaded.count({operand->getOperandNumber(), 0, 0}))
      continue;
    std::optional<unsigned> at = map.getResultPosition(b.getAffineDimExpr(lane));
    if (at && *at != map.getNumResults() - 1) {
      for (int64_t j = 0; j < vectors; ++j)
        loadTransposed(*operand, j);
      continue;
    }
    int64_t rowCount = row && map.isFunctionOfDim(*row) ? rows : 1, columnCount = at ? vectors : 1;
    for (int64_t u = 0; u < rowCount; ++u)
      for (int64_t j = 0; j < columnCount; ++j)
        loaded[{operand->getOperandNumber(), u, j}] = load(*operand, operand->get(), u, j);
  }
}

/// What is the same in all rows or lanes was loaded once, maybe before these were known.
Value LaneEmitter::loadedValue(OpOperand &operand, int64_t u, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return loaded.at({operand.getOperandNumber(), row && map.isFunctionOfDim(*row) ? u : 0,
                    map.isFunctionOfDim(lane) ? j : 0});
}

Value LaneEmitter::indexOf(unsigned dim, int64_t u, int64_t j) {
  int64_t offset = dim == lane ? j * options.width : row && dim == *row ? u : 0;
  if (offset == 0)
    return base[dim];
  return b.createOrFold<arith::AddIOp>(base[dim], arith::ConstantIndexOp::create(b, offset));
}

SmallVector<Value> LaneEmitter::indices(AffineMap map, int64_t u, int64_t j) {
  SmallVector<Value> result;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    result.push_back(indexOf(map.getDimPosition(i), u, j));
  return result;
}

Value LaneEmitter::readVector(Value from, ValueRange at, int64_t count) {
  auto type = cast<RankedTensorType>(from.getType());
  bool inBounds[] = {true};
  return vector::TransferReadOp::create(b, VectorType::get({count}, type.getElementType()), from, at,
                                        /*padding=*/std::nullopt, ArrayRef<bool>(inBounds));
}

/// A scalar where the operand does not depend on the lanes.
Value LaneEmitter::load(OpOperand &operand, Value from, int64_t u, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> at = indices(map, u, j);
  if (map.isFunctionOfDim(lane))
    return readVector(from, at, width);
  return tensor::ExtractOp::create(b, from, at);
}

/// A square of vectors transposed, its side a power of two from 4 on: units of 4 x 4 first, within
/// 128 bits, where shuffles are cheap and take two registers; then the units change places.
static SmallVector<Value> turned(ImplicitLocOpBuilder &b, SmallVector<Value> rows) {
  int64_t n = rows.size();
  assert(n >= 4 && llvm::isPowerOf2_64(n) && "units of 4 x 4 make up the square");
  auto exchange = [&](int64_t first, int64_t second, function_ref<int64_t(int64_t lane)> low,
                      function_ref<int64_t(int64_t lane)> high) {
    SmallVector<int64_t> lows = llvm::map_to_vector(llvm::seq(n), low), highs = llvm::map_to_vector(llvm::seq(n), high);
    Value x = rows[first], y = rows[second];
    rows[first] = vector::ShuffleOp::create(b, x, y, lows);
    rows[second] = vector::ShuffleOp::create(b, x, y, highs);
  };
  for (int64_t i = 0; i < n; i += 4) {
    // a0 b0 a1 b1 and a2 b2 a3 b3 of every unit, then a0 b0 c0 d0 and a1 b1 c1 d1.
    for (int64_t at : {i, i + 2})
      exchange(at, at + 1, [&](int64_t lane) { return lane / 4 * 4 + lane % 4 / 2 + lane % 2 * n; },
               [&](int64_t lane) { return lane / 4 * 4 + 2 + lane % 4 / 2 + lane % 2 * n; });
    for (int64_t at : {i, i + 1})
      exchange(at, at + 2, [&](int64_t lane) { return lane / 4 * 4 + lane % 2 + lane % 4 / 2 * n; },
               [&](int64_t lane) { return lane / 4 * 4 + 2 + lane % 2 + lane % 4 / 2 * n; });
    std::swap(rows[i + 1], rows[i + 2]);
  }
  for (int64_t size = 4; size < n; size *= 2)
    for (int64_t i = 0; i < n; ++i)
      if (!(i & size))
        exchange(i, i + size, [&](int64_t lane) { return lane & size ? n + lane - size : lane; },
                 [&](int64_t lane) { return lane & size ? n + lane : lane + size; });
  return rows;
}

/// What a turned operand is read from: where zeros were put behind its lanes, it is the tensor
/// before that, and lanes beyond it need no reads.
Value LaneEmitter::unpadded(OpOperand &operand) {
  auto pad = operand.get().getDefiningOp<tensor::PadOp>();
  std::optional<unsigned> at = op.getMatchingIndexingMap(&operand).getResultPosition(b.getAffineDimExpr(lane));
  if (!pad || !at || !pad.getSourceType().hasStaticShape() || !pad.hasZeroLowPad() ||
      !matchPattern(pad.getConstantPaddingValue(), m_AnyZeroFloat()))
    return operand.get();
  for (auto [dim, high] : llvm::enumerate(pad.getMixedHighPad()))
    if (dim != *at && !isZeroInteger(high))
      return operand.get();
  return pad.getSource();
}

/// Reads a square of `width` x `width` along the operand's own last dimension and turns it.
void LaneEmitter::loadTransposed(OpOperand &operand, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto element = cast<RankedTensorType>(operand.get().getType()).getElementType();
  int64_t n = options.width;
  unsigned lanePosition = *map.getResultPosition(b.getAffineDimExpr(lane));
  // Bytes are turned as 32-bit integers: shuffles of bytes across lanes are slow.
  Type wide = element.isInteger(8) || element.isInteger(1) ? Type(b.getI32Type()) : element;
  auto square = VectorType::get({n}, wide);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(square));
  Value source = unpadded(operand);
  int64_t filled = width;
  if (std::optional<int64_t> first = getConstantIntValue(base[lane])) // a loop's lanes are all there
    filled = std::min(width, cast<RankedTensorType>(source.getType()).getDimSize(lanePosition) - *first - j * n);

  SmallVector<Value> block;
  for (int64_t i = 0; i < n; ++i) {
    if (i >= filled) {
      block.push_back(zero);
      continue;
    }
    SmallVector<Value> at = indices(map, 0, j);
    at[lanePosition] = b.createOrFold<arith::AddIOp>(at[lanePosition], arith::ConstantIndexOp::create(b, i));
    Value line = readVector(source, at, rows);
    if (wide != element)
      line = arith::ExtUIOp::create(b, VectorType::get({rows}, wide), line);
    if (rows < n)
      line = vector::InsertStridedSliceOp::create(b, line, zero, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
    block.push_back(line);
  }
  block = turned(b, block);
  for (int64_t u = 0; u < rows; ++u) {
    Value line = block[u];
    if (width < n)
      line = vector::ExtractStridedSliceOp::create(b, line, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{width},
                                                   ArrayRef<int64_t>{1});
    if (wide != element)
      line = arith::TruncIOp::create(b, VectorType::get({width}, element), line);
    loaded[{operand.getOperandNumber(), u, j}] = line;
  }
}

void LaneEmitter::store(unsigned output, Value value, int64_t u, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(output));
  bool inBounds[] = {true};
  carried[output] = vector::TransferWriteOp::create(b, toVector(value), carried[output], indices(map, u, j),
                                                    ArrayRef<bool>(inBounds))
                        .getResult();
}
