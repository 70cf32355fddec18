//===- TensorSlices.cpp - evaluation of slices and padding ----------------===//

#include "interpreter/ElementProgram.h"
#include "interpreter/Models.h"
#include "interpreter/Slices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

SmallVector<int64_t> heddle::resolve(Operation *op, ArrayRef<Tensor> operands, ArrayRef<OpFoldResult> mixed) {
  SmallVector<int64_t> result;
  for (OpFoldResult value : mixed)
    if (auto attribute = dyn_cast<Attribute>(value))
      result.push_back(cast<IntegerAttr>(attribute).getInt());
    else
      result.push_back(operands[llvm::find(op->getOperands(), cast<Value>(value)).getIndex()].ints()[0]);
  return result;
}

FailureOr<Slice> heddle::resolveSlice(OffsetSizeAndStrideOpInterface op, ArrayRef<Tensor> operands,
                                      ArrayRef<int64_t> shape) {
  Slice slice{resolve(op, operands, op.getMixedOffsets()), resolve(op, operands, op.getMixedSizes()),
              resolve(op, operands, op.getMixedStrides())};
  for (unsigned i = 0; i < shape.size(); ++i) {
    int64_t first = slice.offsets[i], size = slice.sizes[i], last = first + (size - 1) * slice.steps[i];
    if (size < 0 || (size > 0 && (std::min(first, last) < 0 || std::max(first, last) >= shape[i])))
      return op->emitOpError() << "slices [" << first << ", " << last << "] of dimension " << i << " of size "
                             << shape[i];
  }
  return slice;
}

/// Returns the offsets of the elements of the op's slice, in row-major order, in a tensor of this shape. Sets `sizes`
/// to the sizes of the slice, including dimensions that the op drops.
static FailureOr<SmallVector<int64_t>> sliceOffsets(OffsetSizeAndStrideOpInterface op, ArrayRef<Tensor> operands,
                                                    ArrayRef<int64_t> shape, SmallVector<int64_t> &sizes) {
  FailureOr<Slice> slice = resolveSlice(op, operands, shape);
  if (failed(slice))
    return failure();
  sizes = slice->sizes;
  SmallVector<int64_t> result, strides = Tensor::strides(shape);
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (unsigned i = 0; i < shape.size(); ++i)
      offset += (slice->offsets[i] + index[i] * slice->steps[i]) * strides[i];
    result.push_back(offset);
  });
  return result;
}

static LogicalResult extractSlice(tensor::ExtractSliceOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                  SmallVectorImpl<Tensor> &results) {
  SmallVector<int64_t> sizes;
  auto offsets = sliceOffsets(op, operands, operands[0].shape(), sizes);
  if (failed(offsets))
    return failure();
  SmallVector<int64_t> shape;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!dropped[i])
      shape.push_back(size);
  results.push_back(operands[0].picked(shape, *offsets));
  return success();
}

LogicalResult heddle::writeSlice(OffsetSizeAndStrideOpInterface op, ArrayRef<Tensor> operands, Tensor &destination) {
  SmallVector<int64_t> sizes;
  auto offsets = sliceOffsets(op, operands, destination.shape(), sizes);
  if (failed(offsets))
    return failure();
  const Tensor &source = operands[0];
  if (int64_t(offsets->size()) != source.size())
    return op->emitOpError() << "inserts " << source.size() << " elements where " << offsets->size() << " fit";
  auto copy = [&](auto from, auto to) {
    for (auto [element, offset] : llvm::zip_equal(from, *offsets))
      to[offset] = element;
  };
  if (source.isFloat())
    copy(source.floats(), destination.mutableFloats());
  else
    copy(source.ints(), destination.mutableInts());
  return success();
}

static LogicalResult insertSlice(tensor::InsertSliceOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &results) {
  Tensor result = std::move(operands[1]);
  if (failed(writeSlice(op, operands, result)))
    return failure();
  results.push_back(std::move(result));
  return success();
}

static LogicalResult concatenate(tensor::ConcatOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &results) {
  unsigned axis = op.getDim();
  SmallVector<int64_t> shape(operands[0].shape());
  shape[axis] = 0;
  for (const Tensor &operand : operands)
    shape[axis] += operand.dim(axis);
  Tensor result(shape, operands[0].elementType());
  // Each operand contributes one contiguous run of elements for each index of the dimensions before the axis.
  int64_t inner = result.strides()[axis], outer = 1, start = 0;
  for (unsigned i = 0; i < axis; ++i)
    outer *= shape[i];
  for (const Tensor &operand : operands) {
    int64_t run = operand.dim(axis) * inner;
    auto copyRuns = [&](auto from, auto to) {
      for (int64_t i = 0; i < outer; ++i)
        llvm::copy(from.slice(i * run, run), to.begin() + i * shape[axis] * inner + start);
    };
    if (result.isFloat())
      copyRuns(operand.floats(), result.mutableFloats());
    else
      copyRuns(operand.ints(), result.mutableInts());
    start += run;
  }
  results.push_back(result);
  return success();
}

/// Evaluates tensor.pad. Only padding in which all elements have the same value is supported: importers create no other
/// padding.
static LogicalResult pad(tensor::PadOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                         SmallVectorImpl<Tensor> &results) {
  FailureOr<ElementProgram> program = ElementProgram::decode(op.getRegion().front(), evaluator);
  if (failed(program) || failed(program->run(1)))
    return failure();
  if (!op.getConstantPaddingValue())
    return op.emitError("the interpreter does not support padding that depends on the index");
  const Tensor &source = operands[0];
  Tensor filler({}, source.elementType());
  if (source.isFloat())
    filler.mutableFloats()[0] = program->yielded(0).floats[0];
  else
    filler.mutableInts()[0] = program->yielded(0).ints[0];

  SmallVector<int64_t> low = resolve(op, operands, op.getMixedLowPad());
  SmallVector<int64_t> high = resolve(op, operands, op.getMixedHighPad());
  SmallVector<int64_t> shape, strides = source.strides(), offsets;
  for (unsigned i = 0; i < low.size(); ++i) {
    shape.push_back(low[i] + source.dim(i) + high[i]);
    if (shape.back() < 0)
      return op.emitOpError() << "gives dimension " << i << " the size " << shape.back() << ", expected at least 0";
  }
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (unsigned i = 0; i < low.size() && offset >= 0; ++i) {
      int64_t position = index[i] - low[i];
      offset = position < 0 || position >= source.dim(i) ? -1 : offset + position * strides[i];
    }
    offsets.push_back(offset);
  });
  results.push_back(source.picked(shape, offsets, &filler));
  return success();
}

void heddle::registerTensorSliceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    using namespace tensor;
    attach<ExtractSliceOp, extractSlice>(context);
    attach<InsertSliceOp, insertSlice>(context);
    attach<ConcatOp, concatenate>(context);
    attach<PadOp, pad>(context);
  });
}
