//===- LinalgOther.cpp - evaluation of linalg ops without a body ----------===//

#include "interpreter/Linalg.h"
#include "reference/Softmax.h"

using namespace mlir;
using namespace heddle;

/// Computes a softmax along one dimension, in place, with the same function as the reference of heddle.attention
/// (reference/Softmax.h).
template <typename Real>
static void softmaxLines(Tensor &tensor, int64_t dimension) {
  int64_t length = tensor.dim(dimension), stride = tensor.strides()[dimension];
  SmallVector<int64_t> lines(tensor.shape());
  lines[dimension] = 1;
  SmallVector<int64_t> strides = tensor.strides();
  MutableArrayRef<double> elements = tensor.mutableFloats();
  std::vector<Real> line(length);
  forEachIndex(lines, [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (auto [i, s] : llvm::zip_equal(index, strides))
      offset += i * s;
    for (int64_t i = 0; i < length; ++i)
      line[i] = Real(elements[offset + i * stride]);
    softmax<Real>(line); // if all elements are -inf, the results are NaN, as in the decomposition of linalg.softmax
    for (int64_t i = 0; i < length; ++i)
      elements[offset + i * stride] = line[i];
  });
}

static LogicalResult evaluateSoftmax(linalg::SoftmaxOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                     SmallVectorImpl<Tensor> &results) {
  if (operands[0].buffer())
    return op.emitError("the interpreter does not support linalg.softmax on buffers");
  Tensor result = operands[0];
  if (result.size() == 0)
    return results.push_back(result), success();
  if (roundsToF32(result.elementType(), evaluator))
    softmaxLines<float>(result, op.getDimension());
  else
    softmaxLines<double>(result, op.getDimension());
  results.push_back(result);
  return success();
}

/// Calls `body` for each element of a packed tensor (linalg.pack) with two offsets: that of the element, and that of
/// its source element, whose index along a tiled dimension is outer index x tile + inner index. The second offset is -1
/// if the element is padding. The inner dimensions of the packed shape are the tiles of the dimensions
/// `innerPositions`.
static void forEachPacked(ArrayRef<int64_t> packedShape, ArrayRef<int64_t> outerPermutation,
                          ArrayRef<int64_t> innerPositions, ArrayRef<int64_t> sourceShape,
                          function_ref<void(int64_t packedOffset, int64_t sourceOffset)> body) {
  unsigned rank = sourceShape.size();
  SmallVector<int64_t> strides = Tensor::strides(sourceShape);
  int64_t packedOffset = 0;
  forEachIndex(packedShape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(rank);
    for (unsigned i = 0; i < rank; ++i)
      source[outerPermutation.empty() ? i : outerPermutation[i]] = index[i];
    for (auto [i, position] : llvm::enumerate(innerPositions))
      source[position] = source[position] * packedShape[rank + i] + index[rank + i];
    int64_t offset = 0;
    for (unsigned i = 0; i < rank; ++i)
      offset = offset < 0 || source[i] >= sourceShape[i] ? -1 : offset + source[i] * strides[i];
    body(packedOffset++, offset);
  });
}

static LogicalResult evaluatePack(linalg::PackOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                  SmallVectorImpl<Tensor> &results) {
  const Tensor &source = operands[0], &destination = operands[1];
  if (source.buffer())
    return op.emitError("the interpreter does not support linalg.pack on buffers");
  SmallVector<int64_t> offsets(destination.size());
  forEachPacked(destination.shape(), op.getOuterDimsPerm(), op.getInnerDimsPos(), source.shape(),
                [&](int64_t packed, int64_t offset) { offsets[packed] = offset; });
  const Tensor *padding = op.getPaddingValue() ? &operands[2] : nullptr;
  if (!padding && llvm::is_contained(offsets, -1))
    return op.emitOpError("does not fill its tiles and has no padding value");
  results.push_back(source.picked(destination.shape(), offsets, padding));
  return success();
}

static LogicalResult evaluateUnpack(linalg::UnPackOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                    SmallVectorImpl<Tensor> &results) {
  const Tensor &source = operands[0], &destination = operands[1];
  if (source.buffer())
    return op.emitError("the interpreter does not support linalg.unpack on buffers");
  SmallVector<int64_t> offsets(destination.size(), 0);
  forEachPacked(source.shape(), op.getOuterDimsPerm(), op.getInnerDimsPos(), destination.shape(),
                [&](int64_t packed, int64_t offset) {
                  if (offset >= 0)
                    offsets[offset] = packed;
                });
  results.push_back(source.picked(destination.shape(), offsets));
  return success();
}

void heddle::registerLinalgOtherModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attach<linalg::SoftmaxOp, evaluateSoftmax>(context);
    attach<linalg::PackOp, evaluatePack>(context);
    attach<linalg::UnPackOp, evaluateUnpack>(context);
  });
}
