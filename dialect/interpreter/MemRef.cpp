//===- MemRef.cpp - evaluation of memref ops ------------------------------===//

#include "interpreter/Buffer.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace heddle;

/// Evaluates memref.alloc or memref.alloca. The first operands are the dynamic extents.
template <typename Op>
static LogicalResult allocate(Op op, MutableArrayRef<Tensor> operands, Evaluator &, SmallVectorImpl<Tensor> &results) {
  if (!op.getType().getLayout().isIdentity())
    return op.emitError() << "the interpreter does not support buffers of type " << op.getType();
  SmallVector<int64_t> shape(op.getType().getShape());
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent)) {
      extent = operands.front().ints()[0];
      operands = operands.drop_front();
    }
  FailureOr<Buffer> buffer = Buffer::allocate(op, shape, op.getType().getElementType());
  if (failed(buffer))
    return failure();
  results.push_back(Tensor(std::move(*buffer)));
  return success();
}

/// Marks the memory as unwritten, so tests detect later reads. The memory is freed when no value refers to it.
static LogicalResult deallocate(memref::DeallocOp, MutableArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &) {
  operands[0].buffer()->forget();
  return success();
}

/// Returns a new buffer with the elements of the global constant, so no write can change the constant.
static LogicalResult getGlobal(memref::GetGlobalOp op, MutableArrayRef<Tensor>, Evaluator &,
                               SmallVectorImpl<Tensor> &results) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
  FailureOr<Tensor> value = failure();
  if (global && global.getInitialValue() && !global.isUninitialized())
    value = Tensor::fromAttribute(*global.getInitialValue());
  if (failed(value) || Tensor::byteWidth(value->elementType()) == 0)
    return op.emitError() << "the interpreter does not support the value of @" << op.getName();
  results.push_back(Tensor(Buffer::of(*value)));
  return success();
}

namespace {
/// Evaluates memref.load: `getLanes` in bodies that are decoded, such as that of a linalg op (ElementProgram.h), and
/// `evaluate` elsewhere. In a decoded body, the buffer is a value from outside of the body, and each point of the
/// iteration space has its own index.
struct LoadModel : EvaluateInterface::ExternalModel<LoadModel, memref::LoadOp> {
  LogicalResult evaluate(Operation *op, MutableArrayRef<Tensor> operands, Evaluator &,
                         SmallVectorImpl<Tensor> &results) const {
    const Buffer &buffer = *operands[0].buffer();
    FailureOr<int64_t> offset = elementOffset(op, buffer.shape(), buffer.strides(), operands.drop_front());
    FailureOr<Tensor> element = failed(offset) ? FailureOr<Tensor>() : buffer.read(op, {}, *offset);
    if (failed(element))
      return failure();
    results.push_back(std::move(*element));
    return success();
  }
  LaneFunction getLanes(Operation *op, Evaluator &evaluator) const {
    const Tensor *source = evaluator.find(op->getOperand(0));
    if (!source)
      return {};
    return [op, buffer = *source->buffer()](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) -> LogicalResult {
      SmallVector<int64_t> index(buffer.shape().size()), offsets;
      for (int64_t lane = 0; lane < n; ++lane) {
        for (size_t i = 0; i < index.size(); ++i)
          index[i] = in[i + 1].ints[lane];
        FailureOr<int64_t> offset = elementOffset(op, buffer.shape(), buffer.strides(), index);
        if (failed(offset))
          return failure();
        offsets.push_back(*offset);
      }
      FailureOr<Tensor> elements = buffer.read(op, n, offsets);
      if (failed(elements))
        return failure();
      if (elements->isFloat())
        std::copy_n(elements->floats().begin(), n, out[0].floats);
      else
        std::copy_n(elements->ints().begin(), n, out[0].ints);
      return success();
    };
  }
};
} // namespace

static LogicalResult storeElement(memref::StoreOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                  SmallVectorImpl<Tensor> &) {
  const Buffer &buffer = *operands[1].buffer();
  FailureOr<int64_t> offset = elementOffset(op, buffer.shape(), buffer.strides(), operands.drop_front(2));
  return failed(offset) ? failure() : buffer.write(op, operands[0], *offset);
}

static LogicalResult copy(memref::CopyOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                          SmallVectorImpl<Tensor> &) {
  FailureOr<Tensor> elements = operands[0].buffer()->load(op);
  if (failed(elements))
    return failure();
  if (operands[0].shape() != operands[1].shape())
    return op.emitOpError("copies between buffers of different shapes");
  return operands[1].buffer()->store(op, *elements);
}

static LogicalResult dimOfBuffer(memref::DimOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &results) {
  int64_t position = operands[1].ints()[0];
  if (position < 0 || position >= operands[0].rank())
    return op.emitOpError() << "reads dimension " << position << " of a buffer of rank " << operands[0].rank();
  results.push_back(Tensor({}, op.getType(), std::vector<int64_t>{operands[0].dim(position)}));
  return success();
}

/// Returns the offset, in bytes, of the buffer in its memory. In the interpreter each memory starts at address 0, which
/// satisfies every alignment.
static LogicalResult address(memref::ExtractAlignedPointerAsIndexOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                             SmallVectorImpl<Tensor> &results) {
  results.push_back(Tensor({}, op.getType(), std::vector<int64_t>{operands[0].buffer()->address()}));
  return success();
}

/// Does nothing: a prefetch has no effect on results. The operand may be a buffer without memory
/// (Buffer::withoutMemory).
static LogicalResult prefetch(memref::PrefetchOp, MutableArrayRef<Tensor>, Evaluator &, SmallVectorImpl<Tensor> &) {
  return success();
}

void heddle::registerMemRefModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    using namespace memref;
    attach<AllocOp, allocate<AllocOp>>(context);
    attach<AllocaOp, allocate<AllocaOp>>(context);
    attach<DeallocOp, deallocate>(context);
    attach<GetGlobalOp, getGlobal>(context);
    LoadOp::attachInterface<LoadModel>(*context);
    attach<StoreOp, storeElement>(context);
    attach<CopyOp, copy>(context);
    attach<DimOp, dimOfBuffer>(context);
    attach<ExtractAlignedPointerAsIndexOp, address>(context);
    attach<PrefetchOp, prefetch>(context);
  });
  registerMemRefViewModels(registry);
}
