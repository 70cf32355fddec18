//===- TensorOps.cpp - evaluation of tensor ops ---------------------------===//

#include "interpreter/ElementProgram.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Returns the values of operands of type index.
static SmallVector<int64_t> indices(ArrayRef<Tensor> scalars) {
  SmallVector<int64_t> result;
  for (const Tensor &scalar : scalars)
    result.push_back(scalar.ints()[0]);
  return result;
}

/// Returns the shape of the op's result. `sizes` are the values of the result's dynamic sizes. Emits an error if a size
/// is negative or the result has more than 2^32 elements.
static FailureOr<SmallVector<int64_t>> shapeOf(Operation *op, ArrayRef<Tensor> sizes) {
  SmallVector<int64_t> shape(cast<ShapedType>(op->getResult(0).getType()).getShape());
  int64_t elements = 1;
  for (int64_t &extent : shape) {
    if (ShapedType::isDynamic(extent)) {
      extent = sizes.front().ints()[0];
      sizes = sizes.drop_front();
    }
    if (extent < 0 || llvm::MulOverflow(elements, extent, elements) || elements > int64_t(1) << 32)
      return op->emitOpError() << "has a dimension of size " << extent
                               << ", which is negative or makes the tensor larger than 2^32 elements";
  }
  return shape;
}

FailureOr<int64_t> heddle::elementOffset(Operation *op, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                                         ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [i, position] : llvm::enumerate(index)) {
    if (position < 0 || position >= shape[i])
      return op->emitOpError() << "index " << position << " is out of range for dimension " << i << " of size "
                             << shape[i];
    offset += position * strides[i];
  }
  return offset;
}

FailureOr<int64_t> heddle::elementOffset(Operation *op, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                                         ArrayRef<Tensor> index) {
  return elementOffset(op, shape, strides, indices(index));
}

/// Returns the offset of the element at an index of a tensor. Emits an error if the index is outside of the tensor.
static FailureOr<int64_t> offsetOf(Operation *op, const Tensor &tensor, ArrayRef<int64_t> index) {
  return elementOffset(op, tensor.shape(), tensor.strides(), index);
}

//===- Creation ------------------------------------------------------------===//

static LogicalResult empty(tensor::EmptyOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                           SmallVectorImpl<Tensor> &results) {
  FailureOr<SmallVector<int64_t>> shape = shapeOf(op, operands);
  if (failed(shape))
    return failure();
  results.push_back(Tensor::uninitialized(*shape, op.getType().getElementType()));
  return success();
}

static LogicalResult splat(tensor::SplatOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                           SmallVectorImpl<Tensor> &results) {
  FailureOr<SmallVector<int64_t>> shape = shapeOf(op, operands.drop_front());
  if (failed(shape))
    return failure();
  results.push_back(operands[0].picked(*shape, SmallVector<int64_t>(ShapedType::getNumElements(*shape), 0)));
  return success();
}

/// Runs the body of tensor.generate once for each element.
static LogicalResult generate(tensor::GenerateOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                              SmallVectorImpl<Tensor> &results) {
  FailureOr<SmallVector<int64_t>> shape = shapeOf(op, operands);
  if (failed(shape))
    return failure();
  Tensor result(*shape, cast<RankedTensorType>(op.getType()).getElementType());
  FailureOr<ElementProgram> program = ElementProgram::decode(op.getBody().front(), evaluator);
  if (failed(program))
    return failure();
  int64_t next = 0;
  LogicalResult status = success();
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    for (auto [i, position] : llvm::enumerate(index))
      program->argument(i).ints[0] = position;
    if (failed(status) || failed(status = program->run(1)))
      return;
    if (result.isFloat())
      result.mutableFloats()[next++] = program->yielded(0).floats[0];
    else
      result.mutableInts()[next++] = program->yielded(0).ints[0];
  });
  results.push_back(result);
  return status;
}

//===- Queries -------------------------------------------------------------===//

static LogicalResult dimOfTensor(tensor::DimOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &results) {
  int64_t position = operands[1].ints()[0];
  if (position < 0 || position >= operands[0].rank())
    return op.emitOpError() << "reads dimension " << position << " of a tensor of rank " << operands[0].rank();
  results.push_back(Tensor({}, op.getType(), std::vector<int64_t>{operands[0].dim(position)}));
  return success();
}

static LogicalResult rank(tensor::RankOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                          SmallVectorImpl<Tensor> &results) {
  results.push_back(Tensor({}, op.getType(), std::vector<int64_t>{operands[0].rank()}));
  return success();
}

/// Evaluates tensor.extract: `getLanes` in bodies that are decoded, such as that of a linalg op (ElementProgram.h), and
/// `evaluate` elsewhere. In a decoded body, the tensor is a value from outside of the body, and each point of the
/// iteration space has its own index.
struct ExtractModel : EvaluateInterface::ExternalModel<ExtractModel, tensor::ExtractOp> {
  LogicalResult evaluate(Operation *op, MutableArrayRef<Tensor> operands, Evaluator &,
                         SmallVectorImpl<Tensor> &results) const {
    FailureOr<int64_t> offset = offsetOf(op, operands[0], indices(operands.drop_front()));
    if (failed(offset))
      return failure();
    results.push_back(operands[0].picked({}, {*offset}));
    return success();
  }
  LaneFunction getLanes(Operation *op, Evaluator &evaluator) const {
    const Tensor *source = evaluator.find(op->getOperand(0));
    if (!source)
      return {};
    return [op, tensor = *source](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) -> LogicalResult {
      SmallVector<int64_t> index(tensor.rank());
      for (int64_t lane = 0; lane < n; ++lane) {
        for (int64_t i = 0; i < tensor.rank(); ++i)
          index[i] = in[i + 1].ints[lane];
        FailureOr<int64_t> offset = offsetOf(op, tensor, index);
        if (failed(offset))
          return failure();
        if (tensor.isFloat())
          out[0].floats[lane] = tensor.floats()[*offset];
        else
          out[0].ints[lane] = tensor.ints()[*offset];
      }
      return success();
    };
  }
};

//===- Element moves -------------------------------------------------------===//

static LogicalResult insertTensor(tensor::InsertOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                  SmallVectorImpl<Tensor> &results) {
  Tensor result = std::move(operands[1]);
  FailureOr<int64_t> offset = offsetOf(op, result, indices(operands.drop_front(2)));
  if (failed(offset))
    return failure();
  if (result.isFloat())
    result.mutableFloats()[*offset] = operands[0].floats()[0];
  else
    result.mutableInts()[*offset] = operands[0].ints()[0];
  results.push_back(std::move(result));
  return success();
}

static LogicalResult castTensor(tensor::CastOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
  results.push_back(std::move(operands[0]));
  return success();
}

static LogicalResult collapseTensor(tensor::CollapseShapeOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                    SmallVectorImpl<Tensor> &results) {
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t d : group)
      shape.back() *= operands[0].dim(d);
  }
  results.push_back(operands[0].reshaped(shape));
  return success();
}

static LogicalResult expandTensor(tensor::ExpandShapeOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                  SmallVectorImpl<Tensor> &results) {
  SmallVector<int64_t> shape(op.getStaticOutputShape());
  ArrayRef<Tensor> sizes = operands.drop_front();
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent)) {
      extent = sizes.front().ints()[0];
      sizes = sizes.drop_front();
    }
  if (ShapedType::getNumElements(shape) != operands[0].size())
    return op.emitOpError() << "reshapes " << operands[0].size()
                            << " elements to a shape with another number of elements";
  results.push_back(operands[0].reshaped(shape));
  return success();
}

static LogicalResult reshape(tensor::ReshapeOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                             SmallVectorImpl<Tensor> &results) {
  ArrayRef<int64_t> shape = operands[1].ints();
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }) ||
      ShapedType::getNumElements(shape) != operands[0].size())
    return op.emitOpError() << "reshapes " << operands[0].size()
                            << " elements to a shape with another number of elements";
  results.push_back(operands[0].reshaped(shape));
  return success();
}

static LogicalResult bitcastTensor(tensor::BitcastOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                   SmallVectorImpl<Tensor> &results) {
  FailureOr<Tensor> result =
      Tensor::fromBytes(operands[0].shape(), op.getType().getElementType(), operands[0].toBytes());
  if (failed(result))
    return op.emitError("the interpreter does not support a bitcast from ")
           << operands[0].elementType() << " to " << op.getType().getElementType();
  results.push_back(*result);
  return success();
}

void heddle::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    using namespace tensor;
    attach<EmptyOp, empty>(context);
    attach<SplatOp, splat>(context);
    attach<FromElementsOp, fromElements<FromElementsOp>>(context);
    attach<GenerateOp, generate>(context);
    attach<DimOp, dimOfTensor>(context);
    attach<RankOp, rank>(context);
    ExtractOp::attachInterface<ExtractModel>(*context);
    attach<InsertOp, insertTensor>(context);
    attach<CastOp, castTensor>(context);
    attach<CollapseShapeOp, collapseTensor>(context);
    attach<ExpandShapeOp, expandTensor>(context);
    attach<ReshapeOp, reshape>(context);
    attach<BitcastOp, bitcastTensor>(context);
  });
  registerTensorSliceModels(registry);
}
