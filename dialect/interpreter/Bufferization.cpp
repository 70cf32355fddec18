//===- Bufferization.cpp - evaluation of bufferization ops ----------------===//

#include "interpreter/Buffer.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace heddle;

/// Returns the source of bufferization.materialize_in_destination: the op only determines where the source is stored.
static LogicalResult materialize(bufferization::MaterializeInDestinationOp op, MutableArrayRef<Tensor> operands,
                                 Evaluator &, SmallVectorImpl<Tensor> &results) {
  if (op->getNumResults() == 0)
    return op.emitError("the interpreter does not support buffers that share memory with tensors");
  results.push_back(std::move(operands[0]));
  return success();
}

/// Returns a buffer without memory for bufferization.to_buffer. Before bufferization, such buffers are used only by
/// memref.prefetch, which reads no element.
static LogicalResult toBuffer(bufferization::ToBufferOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                              SmallVectorImpl<Tensor> &results) {
  if (!op.getReadOnly())
    return op.emitError("the interpreter does not support buffers that share memory with tensors");
  results.push_back(Tensor(Buffer::withoutMemory(operands[0].shape(), operands[0].elementType())));
  return success();
}

/// Returns a tensor that is not initialized or, if the op has the operand `copy`, a copy of this operand. The other
/// operands are the dynamic sizes.
static LogicalResult allocTensor(bufferization::AllocTensorOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &results) {
  if (op.getCopy()) {
    results.push_back(std::move(operands[0]));
    return success();
  }
  SmallVector<int64_t> shape(op.getType().getShape());
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent)) {
      extent = operands.front().ints()[0];
      operands = operands.drop_front();
    }
  results.push_back(Tensor::uninitialized(shape, op.getType().getElementType()));
  return success();
}

void heddle::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, bufferization::BufferizationDialect *) {
    attach<bufferization::MaterializeInDestinationOp, materialize>(context);
    attach<bufferization::AllocTensorOp, allocTensor>(context);
    attach<bufferization::ToBufferOp, toBuffer>(context);
  });
}
