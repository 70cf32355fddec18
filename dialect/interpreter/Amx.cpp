//===- Amx.cpp - evaluation of operations on AMX tiles --------------------===//
//
// The value of a tile is a tensor with the tile's shape. If the interpreter
// computes in f32, products of bf16 are rounded as the instruction TDPBF16PS
// rounds them (Intel SDM, volume 2): even and odd elements have accumulators of
// their own, whose sum is added to the tile at the end, and denormals are zero.
//
//===----------------------------------------------------------------------===//

#include "interpreter/Buffer.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace heddle;

/// Returns the offset, in elements, of each element of a tile in a buffer. The tile begins at `indices`, and its rows
/// are `stride` elements apart (null: as far as the rows of the buffer). Emits an error if an element is outside of the
/// buffer.
static FailureOr<SmallVector<int64_t>> tileOffsets(Operation *op, const Buffer &buffer, ArrayRef<Tensor> indices,
                                                   const Tensor *stride, amx::TileType tile) {
  if (buffer.strides().back() != 1)
    return op->emitOpError("needs a buffer whose last dimension is contiguous");
  SmallVector<int64_t> first, offsets;
  for (const Tensor &index : indices)
    first.push_back(index.ints()[0]);
  for (int64_t row = 0; row < tile.getDimSize(0); ++row)
    for (int64_t column = 0; column < tile.getDimSize(1); ++column) {
      SmallVector<int64_t> at(first);
      at.back() += column;
      if (!stride)
        at[at.size() - 2] += row;
      FailureOr<int64_t> offset = elementOffset(op, buffer.shape(), buffer.strides(), at);
      if (failed(offset))
        return failure();
      offsets.push_back(*offset + (stride ? row * stride->ints()[0] : 0));
    }
  return offsets;
}

static LogicalResult zeroTile(amx::TileZeroOp op, MutableArrayRef<Tensor>, Evaluator &,
                              SmallVectorImpl<Tensor> &results) {
  results.push_back(Tensor(op.getTileType().getShape(), op.getTileType().getElementType()));
  return success();
}

static LogicalResult loadTile(amx::TileLoadOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                              SmallVectorImpl<Tensor> &results) {
  const Tensor *stride = op.getStride() ? &operands.back() : nullptr;
  auto offsets = tileOffsets(op, *operands[0].buffer(), operands.slice(1, op.getIndices().size()), stride,
                             op.getTileType());
  if (failed(offsets))
    return failure();
  FailureOr<Tensor> tile = operands[0].buffer()->read(op, op.getTileType().getShape(), *offsets);
  if (failed(tile))
    return failure();
  results.push_back(std::move(*tile));
  return success();
}

static LogicalResult storeTile(amx::TileStoreOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                               SmallVectorImpl<Tensor> &) {
  const Tensor *stride = op.getStride() ? &operands.back() : nullptr;
  unsigned rank = op.getIndices().size();
  auto offsets = tileOffsets(op, *operands[0].buffer(), operands.slice(1, rank), stride, op.getTileType());
  return failed(offsets) ? failure() : operands[0].buffer()->write(op, operands[rank + 1], *offsets);
}

/// Returns x as f32; a denormal number becomes zero.
static float flushed(double x) {
  float single = x;
  return std::abs(single) < std::numeric_limits<float>::min() ? std::copysign(0.0f, single) : single;
}

/// Adds the product of a row of `left` and a column of `right`, both of `pairs` pairs of elements, to `sum` and returns
/// the result. The pairs of a column are `stride` elements apart.
static double addPairs(double sum, const double *left, const double *right, int64_t pairs, int64_t stride,
                       bool rounds) {
  if (!rounds) {
    for (int64_t k = 0; k < pairs; ++k)
      sum += left[2 * k] * right[k * stride] + left[2 * k + 1] * right[k * stride + 1];
    return sum;
  }
  float parts[2] = {0, 0};
  for (int64_t k = 0; k < pairs; ++k)
    for (int64_t t : {0, 1})
      parts[t] = flushed(std::fma(flushed(left[2 * k + t]), flushed(right[k * stride + t]), parts[t]));
  return flushed(flushed(sum) + flushed(parts[0] + parts[1]));
}

static LogicalResult multiplyFloats(amx::TileMulFOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                    SmallVectorImpl<Tensor> &results) {
  Tensor result = std::move(operands[2]);
  ArrayRef<double> left = operands[0].floats(), right = operands[1].floats();
  int64_t columns = result.dim(1), depth = operands[0].dim(1);
  bool rounds = roundsToF32(op.getType(), evaluator);
  MutableArrayRef<double> sums = result.mutableFloats();
  for (int64_t i = 0; i < result.dim(0); ++i)
    for (int64_t j = 0; j < columns; ++j)
      sums[i * columns + j] = addPairs(sums[i * columns + j], &left[i * depth], &right[2 * j], depth / 2, 2 * columns,
                                       rounds);
  results.push_back(std::move(result));
  return success();
}

static LogicalResult multiplyBytes(amx::TileMulIOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                   SmallVectorImpl<Tensor> &results) {
  Tensor result = std::move(operands[2]);
  ArrayRef<int64_t> left = operands[0].ints(), right = operands[1].ints();
  int64_t columns = result.dim(1), depth = operands[0].dim(1);
  auto number = [](int64_t byte, bool isUnsigned) { return isUnsigned ? int64_t(unsignedValue(byte, 8)) : byte; };
  MutableArrayRef<int64_t> sums = result.mutableInts();
  for (int64_t i = 0; i < result.dim(0); ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t sum = sums[i * columns + j];
      for (int64_t k = 0; k < depth; ++k)
        sum += number(left[i * depth + k], op.getIsZextLhs()) *
               number(right[(k / 4 * columns + j) * 4 + k % 4], op.getIsZextRhs());
      sums[i * columns + j] = wrapInteger(sum, 32);
    }
  results.push_back(std::move(result));
  return success();
}

void heddle::registerAmxModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, amx::AMXDialect *) {
    attach<amx::TileZeroOp, zeroTile>(context);
    attach<amx::TileLoadOp, loadTile>(context);
    attach<amx::TileStoreOp, storeTile>(context);
    attach<amx::TileMulFOp, multiplyFloats>(context);
    attach<amx::TileMulIOp, multiplyBytes>(context);
  });
}
