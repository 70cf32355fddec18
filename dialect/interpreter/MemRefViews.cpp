//===- MemRefViews.cpp - evaluation of memref views -----------------------===//

#include "interpreter/Buffer.h"
#include "interpreter/Models.h"
#include "interpreter/Slices.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace heddle;

/// Evaluates memref.view: returns a view of a part of a one-dimensional buffer of bytes as elements of another type.
static LogicalResult view(memref::ViewOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                          SmallVectorImpl<Tensor> &results) {
  const Buffer &bytes = *operands[0].buffer();
  int64_t shift = operands[1].ints()[0], size = Tensor::byteWidth(op.getType().getElementType());
  SmallVector<int64_t> shape(op.getType().getShape());
  ArrayRef<Tensor> sizes = operands.drop_front(2);
  for (int64_t &extent : shape) {
    if (ShapedType::isDynamic(extent)) {
      extent = sizes.front().ints()[0];
      sizes = sizes.drop_front();
    }
    if (extent < 0 || llvm::MulOverflow(size, extent, size))
      return op->emitOpError() << "has a dimension of size " << extent << ", which is negative or too large";
  }
  if (size == 0 && Tensor::byteWidth(op.getType().getElementType()) == 0)
    return op.emitError() << "the interpreter does not support buffers of " << op.getType().getElementType();
  if (shift < 0 || size > bytes.shape()[0] - shift)
    return op.emitOpError() << "takes bytes [" << shift << ", " << shift + size << ") of a buffer of "
                            << bytes.shape()[0] << " bytes";
  results.push_back(Tensor(bytes.reinterpreted(shift, shape, op.getType().getElementType())));
  return success();
}

static LogicalResult subview(memref::SubViewOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                             SmallVectorImpl<Tensor> &results) {
  const Buffer &source = *operands[0].buffer();
  FailureOr<Slice> slice = resolveSlice(op, operands, source.shape());
  if (failed(slice))
    return failure();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> shape, strides;
  int64_t offset = 0;
  for (auto [i, stride] : llvm::enumerate(source.strides())) {
    if (slice->steps[i] < 0)
      return op.emitError("the interpreter does not support negative strides");
    offset += slice->offsets[i] * stride;
    if (dropped[i])
      continue;
    shape.push_back(slice->sizes[i]);
    strides.push_back(slice->steps[i] * stride);
  }
  results.push_back(Tensor(source.view(offset, shape, strides)));
  return success();
}

static LogicalResult collapseBuffer(memref::CollapseShapeOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                    SmallVectorImpl<Tensor> &results) {
  const Buffer &source = *operands[0].buffer();
  SmallVector<int64_t> shape, strides;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    strides.push_back(1);
    for (int64_t d : llvm::reverse(group)) {
      int64_t extent = source.shape()[d], stride = source.strides()[d];
      if (extent == 1)
        continue; // the stride of a unit dimension is irrelevant
      if (shape.back() == 1)
        strides.back() = stride;
      else if (stride != strides.back() * shape.back())
        return op.emitOpError("joins dimensions with gaps between them");
      shape.back() *= extent;
    }
  }
  results.push_back(Tensor(source.view(0, shape, strides)));
  return success();
}

static LogicalResult expandBuffer(memref::ExpandShapeOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                  SmallVectorImpl<Tensor> &results) {
  const Buffer &source = *operands[0].buffer();
  SmallVector<int64_t> shape = resolve(op, operands, op.getMixedOutputShape()), strides(shape.size());
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = source.strides()[i], elements = 1;
    for (int64_t d : llvm::reverse(group)) {
      strides[d] = stride * elements;
      elements *= shape[d];
    }
    if (elements != source.shape()[i])
      return op.emitOpError() << "splits dimension " << i << " of size " << source.shape()[i] << " into dimensions of "
                              << elements << " elements";
  }
  results.push_back(Tensor(source.view(0, shape, strides)));
  return success();
}

static LogicalResult castBuffer(memref::CastOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
  results.push_back(std::move(operands[0]));
  return success();
}

void heddle::registerMemRefViewModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    using namespace memref;
    attach<ViewOp, view>(context);
    attach<SubViewOp, subview>(context);
    attach<CollapseShapeOp, collapseBuffer>(context);
    attach<ExpandShapeOp, expandBuffer>(context);
    attach<CastOp, castBuffer>(context);
  });
}
