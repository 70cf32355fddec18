//===- BlockOperand.cpp - loads and stores of operands --------------------===//

#include "BlockVectorizer.h"
#include "LaneShuffles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns whether all loops that index the operand with this map have been emitted, so its indices exist.
bool BlockVectorizer::isBound(AffineMap map) {
  return llvm::all_of(llvm::seq(map.getNumResults()),
                      [&](unsigned i) { return bool(base[map.getDimPosition(i)]); });
}

/// Loads every input as soon as all its indices are known, which hoists loads out of the inner loops. LLVM would leave
/// the loads inside: all buffers are views of one arena, so LLVM cannot prove that stores do not alias the inputs.
void BlockVectorizer::preload() {
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
      for (int64_t j = 0; j < columnCount; ++j) {
        loaded[{operand->getOperandNumber(), u, j}] = load(*operand, operand->get(), u, j);
        prefetcher.prefetch(b, *operand, indices(map, u, j), {j, columnCount, width});
      }
  }
}

/// Returns the vector that was loaded from an input for row `u` and vector `j` of the register tile. An input that does
/// not depend on the row (or on the lane) was loaded once, as row (or vector) 0.
Value BlockVectorizer::loadedValue(OpOperand &operand, int64_t u, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return loaded.at({operand.getOperandNumber(), row && map.isFunctionOfDim(*row) ? u : 0,
                    map.isFunctionOfDim(lane) ? j : 0});
}

/// Returns the index of loop `dim` for row `u` and vector `j` of the register tile.
OpFoldResult BlockVectorizer::indexOf(unsigned dim, int64_t u, int64_t j) {
  return b.add(base[dim], dim == lane ? j * options.lanes : row && dim == *row ? u : 0);
}

SmallVector<OpFoldResult> BlockVectorizer::indices(AffineMap map, int64_t u, int64_t j) {
  return llvm::map_to_vector(llvm::seq(map.getNumResults()),
                             [&](unsigned i) { return indexOf(map.getDimPosition(i), u, j); });
}

/// Loads a vector from the tensor `from`, or a scalar if the operand does not depend on the lanes.
Value BlockVectorizer::load(OpOperand &operand, Value from, int64_t u, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> at = indices(map, u, j);
  return map.isFunctionOfDim(lane) ? b.read(from, at, width, width) : b.element(from, at);
}

/// Returns the tensor from which a transposed operand is read. If the operand was padded with zeros at the end of the
/// dimension along the lanes, this is the tensor before padding, and the padded lanes are not read.
Value BlockVectorizer::unpadded(OpOperand &operand) {
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

/// Reads up to lanes x lanes elements of an operand whose last dimension is not `lane`, as vectors along the operand's
/// last dimension, and transposes them in registers into vectors along `lane`.
void BlockVectorizer::loadTransposed(OpOperand &operand, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto element = cast<RankedTensorType>(operand.get().getType()).getElementType();
  int64_t n = options.lanes;
  unsigned lanePosition = *map.getResultPosition(b.getAffineDimExpr(lane));
  // Bytes are transposed as 32-bit integers, since shuffles of bytes across lanes are slow.
  Type wide = element.isInteger(8) || element.isInteger(1) ? Type(b.getI32Type()) : element;
  auto square = VectorType::get({n}, wide);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(square));
  Value source = unpadded(operand);
  int64_t filled = width;
  if (std::optional<int64_t> first = getConstantIntValue(base[lane])) // else all lanes are filled
    filled = std::min(width, cast<RankedTensorType>(source.getType()).getDimSize(lanePosition) - *first - j * n);

  SmallVector<Value> block;
  for (int64_t i = 0; i < n; ++i) {
    if (i >= filled) {
      block.push_back(zero);
      continue;
    }
    SmallVector<OpFoldResult> at = indices(map, 0, j);
    at[lanePosition] = b.add(at[lanePosition], i);
    Value line = b.read(source, at, rows, rows);
    if (wide != element)
      line = arith::ExtUIOp::create(b, VectorType::get({rows}, wide), line);
    if (rows < n)
      line = vector::InsertStridedSliceOp::create(b, line, zero, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
    block.push_back(line);
  }
  block = transposeSquare(b, block);
  for (int64_t u = 0; u < rows; ++u) {
    Value line = b.resized(block[u], width);
    if (wide != element)
      line = arith::TruncIOp::create(b, VectorType::get({width}, element), line);
    loaded[{operand.getOperandNumber(), u, j}] = line;
  }
}

/// Writes row `u`, vector `j` of the register tile to the tensor of output number `output`.
void BlockVectorizer::store(unsigned output, Value value, int64_t u, int64_t j) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(output));
  carried[output] = b.write(b.broadcast(value, width), carried[output], indices(map, u, j), width);
}
