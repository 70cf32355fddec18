//===- VectorMemory.cpp - evaluation of vector loads and stores -----------===//

#include "interpreter/Buffer.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns the offset, in elements, of each lane of a vector in a buffer. The first lane is at `indices`, and the
/// vector extends along the buffer's last dimensions. The offset is -1 for lanes that `mask` (null: no mask) disables.
/// Emits an error if an enabled lane is outside of the buffer.
static FailureOr<SmallVector<int64_t>> laneOffsets(Operation *op, const Buffer &buffer, ArrayRef<Tensor> indices,
                                                   VectorType vector, const Tensor *mask) {
  SmallVector<int64_t> offsets, position;
  unsigned leading = buffer.shape().size() - vector.getRank();
  int64_t lane = 0;
  LogicalResult status = success();
  forEachIndex(vector.getShape(), [&](ArrayRef<int64_t> index) {
    if (failed(status))
      return;
    offsets.push_back(-1);
    if (mask && !mask->ints()[lane++])
      return;
    position.clear();
    for (auto [i, start] : llvm::enumerate(indices))
      position.push_back(start.ints()[0] + (i < leading ? 0 : index[i - leading]));
    FailureOr<int64_t> offset = elementOffset(op, buffer.shape(), buffer.strides(), position);
    status = offset;
    if (succeeded(offset))
      offsets.back() = *offset;
  });
  if (failed(status))
    return failure();
  return offsets;
}

/// Reads a vector from a buffer. Lanes that `mask` disables have the values of `passThrough`. Both are null for a load
/// without a mask.
static LogicalResult read(Operation *op, const Buffer &buffer, ArrayRef<Tensor> indices, VectorType vector,
                          const Tensor *mask, const Tensor *passThrough, SmallVectorImpl<Tensor> &results) {
  auto offsets = laneOffsets(op, buffer, indices, vector, mask);
  FailureOr<Tensor> lanes = failed(offsets) ? FailureOr<Tensor>() : buffer.read(op, vector.getShape(), *offsets);
  if (failed(lanes))
    return failure();
  for (auto [i, offset] : llvm::enumerate(*offsets))
    if (offset < 0 && lanes->isFloat())
      lanes->mutableFloats()[i] = passThrough->floats()[i];
    else if (offset < 0)
      lanes->mutableInts()[i] = passThrough->ints()[i];
  results.push_back(std::move(*lanes));
  return success();
}

static LogicalResult loadVector(vector::LoadOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
  return read(op, *operands[0].buffer(), operands.drop_front(), op.getVectorType(), nullptr, nullptr, results);
}

static LogicalResult maskedLoad(vector::MaskedLoadOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
  unsigned rank = op.getIndices().size();
  return read(op, *operands[0].buffer(), operands.slice(1, rank), op.getVectorType(), &operands[rank + 1],
              &operands[rank + 2], results);
}

static LogicalResult storeVector(vector::StoreOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &) {
  const Buffer &buffer = *operands[1].buffer();
  auto offsets = laneOffsets(op, buffer, operands.drop_front(2), op.getVectorType(), nullptr);
  return failed(offsets) ? failure() : buffer.write(op, operands[0], *offsets);
}

static LogicalResult maskedStore(vector::MaskedStoreOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &) {
  const Buffer &buffer = *operands[0].buffer();
  unsigned rank = op.getIndices().size();
  auto offsets = laneOffsets(op, buffer, operands.slice(1, rank), op.getVectorType(), &operands[rank + 1]);
  return failed(offsets) ? failure() : buffer.write(op, operands[rank + 2], *offsets);
}

void heddle::registerVectorMemoryModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    attach<vector::LoadOp, loadVector>(context);
    attach<vector::MaskedLoadOp, maskedLoad>(context);
    attach<vector::StoreOp, storeVector>(context);
    attach<vector::MaskedStoreOp, maskedStore>(context);
  });
}
