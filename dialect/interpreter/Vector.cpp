//===- Vector.cpp - evaluation of vector ops ------------------------------===//
//
// A vector is represented by a Tensor with the vector's shape. Most ops only move elements: their result is gathered
// from a list of offsets.
//
//===----------------------------------------------------------------------===//

#include "interpreter/Models.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

/// Returns the shape of a vector type; the empty shape of rank 0 for a scalar type.
static ArrayRef<int64_t> vectorShapeOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getShape() : ArrayRef<int64_t>();
}

/// Computes the result of an op that only moves elements of `operand`. `source` returns, for an index of the result,
/// the index of the operand's element that becomes this element.
static void move(Operation *op, const Tensor &operand, SmallVectorImpl<Tensor> &results,
                 function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> source) {
  SmallVector<int64_t> offsets, strides = operand.strides();
  ArrayRef<int64_t> shape = vectorShapeOf(op->getResult(0).getType());
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (auto [position, stride] : llvm::zip_equal(source(index), strides))
      offset += position * stride;
    offsets.push_back(offset);
  });
  results.push_back(operand.picked(shape, offsets));
}

static LogicalResult broadcast(vector::BroadcastOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                               SmallVectorImpl<Tensor> &results) {
  const Tensor &source = operands[0];
  move(op, source, results, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.take_back(source.rank()));
    for (auto [i, position] : llvm::enumerate(from))
      position = source.dim(i) == 1 ? 0 : position;
    return from;
  });
  return success();
}

static LogicalResult transpose(vector::TransposeOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                               SmallVectorImpl<Tensor> &results) {
  move(op, operands[0], results, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.size());
    for (auto [i, d] : llvm::enumerate(op.getPermutation()))
      from[d] = index[i];
    return from;
  });
  return success();
}

static LogicalResult extractStridedSlice(vector::ExtractStridedSliceOp op, MutableArrayRef<Tensor> operands,
                                         Evaluator &, SmallVectorImpl<Tensor> &results) {
  move(op, operands[0], results, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (auto [i, offset] : llvm::enumerate(op.getOffsets().getAsValueRange<IntegerAttr>()))
      from[i] += offset.getSExtValue();
    return from;
  });
  return success();
}

static LogicalResult shapeCast(vector::ShapeCastOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                               SmallVectorImpl<Tensor> &results) {
  results.push_back(operands[0].reshaped(vectorShapeOf(op.getType())));
  return success();
}

/// Returns the position of vector.extract or vector.insert in a vector of this shape: the numbers in `fixed`, in which
/// the dynamic ones are replaced by the values of `dynamic`, in order. Emits an error and fails if a number is not an
/// index of its dimension.
static FailureOr<SmallVector<int64_t>> positions(Operation *op, ArrayRef<int64_t> fixed, ArrayRef<Tensor> dynamic,
                                                 ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(fixed);
  for (auto [position, extent] : llvm::zip(result, shape)) {
    if (ShapedType::isDynamic(position)) {
      position = dynamic.front().ints()[0];
      dynamic = dynamic.drop_front();
    }
    if (position < 0 || position >= extent)
      return op->emitOpError("position ") << position << " is out of range 0.." << extent - 1;
  }
  return result;
}

static LogicalResult extract(vector::ExtractOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                             SmallVectorImpl<Tensor> &results) {
  FailureOr<SmallVector<int64_t>> leading =
      positions(op, op.getStaticPosition(), operands.drop_front(), operands[0].shape());
  if (failed(leading))
    return failure();
  move(op, operands[0], results, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(*leading);
    llvm::append_range(from, index);
    return from;
  });
  return success();
}

/// Writes all elements of `value` into `target`. `place` returns the index in `target` for an index of `value`.
static void put(Tensor &target, const Tensor &value, function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> place) {
  SmallVector<int64_t> strides = target.strides();
  int64_t next = 0;
  forEachIndex(value.shape(), [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (auto [position, stride] : llvm::zip_equal(place(index), strides))
      offset += position * stride;
    if (value.isFloat())
      target.mutableFloats()[offset] = value.floats()[next++];
    else
      target.mutableInts()[offset] = value.ints()[next++];
  });
}

static LogicalResult insertVector(vector::InsertOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                  SmallVectorImpl<Tensor> &results) {
  Tensor result = std::move(operands[1]);
  FailureOr<SmallVector<int64_t>> leading =
      positions(op, op.getStaticPosition(), operands.drop_front(2), result.shape());
  if (failed(leading))
    return failure();
  put(result, operands[0], [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> to(*leading);
    llvm::append_range(to, index);
    return to;
  });
  results.push_back(std::move(result));
  return success();
}

static LogicalResult insertStridedSlice(vector::InsertStridedSliceOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                        SmallVectorImpl<Tensor> &results) {
  Tensor result = std::move(operands[1]);
  put(result, operands[0], [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> to(result.rank() - index.size(), 0);
    llvm::append_range(to, index);
    for (auto [i, offset] : llvm::enumerate(op.getOffsets().getAsValueRange<IntegerAttr>()))
      to[i] += offset.getSExtValue();
    return to;
  });
  results.push_back(std::move(result));
  return success();
}

/// Evaluates vector.shuffle, which selects slices along the first dimension of two vectors.
static LogicalResult shuffle(vector::ShuffleOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                             SmallVectorImpl<Tensor> &results) {
  const Tensor &first = operands[0], &second = operands[1];
  int64_t lanes = first.rank() ? first.dim(0) : 1, inner = first.size() / lanes, next = 0;
  Tensor result = Tensor::uninitialized(vectorShapeOf(op.getType()), first.elementType());
  for (int64_t lane : op.getMask()) {
    const Tensor &source = lane < lanes ? first : second;
    int64_t from = (lane < lanes ? lane : lane - lanes) * inner;
    for (int64_t i = 0; i < inner; ++i, ++next)
      if (lane >= 0 && result.isFloat()) // for lane -1, which is poison, elements stay uninitialized
        result.mutableFloats()[next] = source.floats()[from + i];
      else if (lane >= 0)
        result.mutableInts()[next] = source.ints()[from + i];
  }
  results.push_back(std::move(result));
  return success();
}

/// Reinterprets the bytes of a vector, in little-endian order, as a vector of another type.
static LogicalResult bitCast(vector::BitCastOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                             SmallVectorImpl<Tensor> &results) {
  FailureOr<Tensor> result =
      Tensor::fromBytes(vectorShapeOf(op.getType()), op.getResultVectorType().getElementType(), operands[0].toBytes());
  if (failed(result))
    return op.emitError("the interpreter does not support a bitcast of ") << op.getSourceVectorType();
  results.push_back(std::move(*result));
  return success();
}

static LogicalResult step(vector::StepOp op, MutableArrayRef<Tensor>, Evaluator &, SmallVectorImpl<Tensor> &results) {
  std::vector<int64_t> lanes(op.getType().getNumElements());
  std::iota(lanes.begin(), lanes.end(), 0);
  results.push_back(Tensor(vectorShapeOf(op.getType()), IndexType::get(op.getContext()), std::move(lanes)));
  return success();
}

static double multiplyAddVectors(double a, double b, double c) { return std::fma(a, b, c); }

static LogicalResult poison(ub::PoisonOp op, MutableArrayRef<Tensor>, Evaluator &, SmallVectorImpl<Tensor> &results) {
  auto shaped = dyn_cast<ShapedType>(op.getType());
  results.push_back(
      Tensor::uninitialized(shaped ? shaped.getShape() : ArrayRef<int64_t>(), getElementTypeOrSelf(op.getType())));
  return success();
}

void heddle::registerVectorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    using namespace vector;
    attach<BroadcastOp, broadcast>(context);
    attach<TransposeOp, transpose>(context);
    attach<ExtractStridedSliceOp, extractStridedSlice>(context);
    attach<ShapeCastOp, shapeCast>(context);
    attach<ExtractOp, extract>(context);
    attach<InsertOp, insertVector>(context);
    attach<InsertStridedSliceOp, insertStridedSlice>(context);
    attach<ShuffleOp, shuffle>(context);
    attach<BitCastOp, bitCast>(context);
    attach<FromElementsOp, fromElements<FromElementsOp>>(context);
    attach<StepOp, step>(context);
    attachFloat<FMAOp, multiplyAddVectors>(context);
  });
  registry.addExtension(+[](MLIRContext *context, ub::UBDialect *) { attach<ub::PoisonOp, poison>(context); });
  registerVectorMemoryModels(registry);
  registerVectorReductionModels(registry);
  registerVectorTransferModels(registry);
}
