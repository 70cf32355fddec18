//===- VectorTransfer.cpp - evaluation of vector transfers and masks ------===//

#include "interpreter/Buffer.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Computes the offsets, in elements, of a transfer's lanes in its tensor or buffer; -1 for lanes that are out of
/// bounds or masked off. `indices` is the index of the first lane. Emits an error if a lane that is not masked off is
/// out of bounds along a dimension that the op declares to be in bounds.
static LogicalResult lanesOf(VectorTransferOpInterface op, const Tensor &base, ArrayRef<Tensor> indices,
                             const Tensor *mask, SmallVectorImpl<int64_t> &offsets) {
  AffineMap map = op.getPermutationMap();
  SmallVector<int64_t> strides(base.buffer() ? SmallVector<int64_t>(base.buffer()->strides()) : base.strides());
  LogicalResult status = success();
  int64_t lane = 0;
  forEachIndex(op.getVectorType().getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> position;
    for (const Tensor &start : indices)
      position.push_back(start.ints()[0]);
    // `inside`: the lane is in bounds. `claimed`: it is in bounds along the dimensions that the op declares in bounds.
    bool masked = mask && !mask->ints()[lane], inside = true, claimed = true;
    ++lane;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        int64_t &place = position[dim.getPosition()];
        place += index[i];
        bool fits = place >= 0 && place < base.dim(dim.getPosition());
        inside &= fits;
        claimed &= fits || !op.isDimInBounds(i);
      }
    int64_t offset = 0;
    for (auto [i, place] : llvm::enumerate(position)) {
      inside &= place >= 0 && place < base.dim(i);
      offset += place * strides[i];
    }
    if (!claimed && !masked && succeeded(status))
      status = op->emitOpError() << "accesses elements outside its " << (base.buffer() ? "buffer" : "tensor")
                                 << " of shape " << base.tensorType()
                                 << " along a dimension that is declared in bounds";
    offsets.push_back(inside && !masked ? offset : -1);
  });
  return status;
}

/// Checks that a transfer with a mask does not permute dimensions: otherwise the dimensions of the mask and of the
/// vector would be in different orders.
static LogicalResult checkMask(VectorTransferOpInterface op, bool hasMask) {
  if (hasMask && !op.getPermutationMap().isMinorIdentity())
    return op->emitError("the interpreter does not support masks of permuted transfers");
  return success();
}

static LogicalResult readTransfer(vector::TransferReadOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                  SmallVectorImpl<Tensor> &results) {
  unsigned rank = op.getIndices().size();
  const Tensor *mask = op.getMask() ? &operands[rank + 2] : nullptr;
  SmallVector<int64_t> offsets;
  if (failed(checkMask(op, mask)) ||
      failed(lanesOf(op, operands[0], ArrayRef<Tensor>(operands).slice(1, rank), mask, offsets)))
    return failure();
  ArrayRef<int64_t> shape = op.getVectorType().getShape();
  const Buffer *buffer = operands[0].buffer();
  FailureOr<Tensor> lanes = buffer ? buffer->read(op, shape, offsets, &operands[rank + 1])
                                   : operands[0].picked(shape, offsets, &operands[rank + 1]);
  if (failed(lanes))
    return failure();
  results.push_back(std::move(*lanes));
  return success();
}

static LogicalResult writeTransfer(vector::TransferWriteOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                   SmallVectorImpl<Tensor> &results) {
  unsigned rank = op.getIndices().size();
  Tensor result = std::move(operands[1]);
  const Tensor *mask = op.getMask() ? &operands[rank + 2] : nullptr;
  SmallVector<int64_t> offsets;
  if (failed(checkMask(op, mask)) || failed(lanesOf(op, result, ArrayRef<Tensor>(operands).slice(2, rank), mask, offsets)))
    return failure();
  if (result.buffer())
    return result.buffer()->write(op, operands[0], offsets);
  auto copy = [&](auto from, auto to) {
    for (auto [value, offset] : llvm::zip_equal(from, offsets))
      if (offset >= 0)
        to[offset] = value;
  };
  if (result.isFloat())
    copy(operands[0].floats(), result.mutableFloats());
  else
    copy(operands[0].ints(), result.mutableInts());
  results.push_back(std::move(result));
  return success();
}

/// Evaluates vector.create_mask: a lane is set if its index along each dimension is less than the operand for this
/// dimension.
static LogicalResult createMask(vector::CreateMaskOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
  Tensor mask(op.getType().getShape(), op.getType().getElementType());
  int64_t next = 0;
  forEachIndex(mask.shape(), [&](ArrayRef<int64_t> index) {
    bool on = true;
    for (auto [position, size] : llvm::zip_equal(index, operands))
      on &= position < size.ints()[0];
    mask.mutableInts()[next++] = on;
  });
  results.push_back(mask);
  return success();
}

static LogicalResult constantMask(vector::ConstantMaskOp op, MutableArrayRef<Tensor>, Evaluator &,
                                  SmallVectorImpl<Tensor> &results) {
  Tensor mask(op.getType().getShape(), op.getType().getElementType());
  int64_t next = 0;
  forEachIndex(mask.shape(), [&](ArrayRef<int64_t> index) {
    bool on = true;
    for (auto [position, size] : llvm::zip_equal(index, op.getMaskDimSizes()))
      on &= position < size;
    mask.mutableInts()[next++] = on;
  });
  results.push_back(mask);
  return success();
}

void heddle::registerVectorTransferModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    attach<vector::TransferReadOp, readTransfer>(context);
    attach<vector::TransferWriteOp, writeTransfer>(context);
    attach<vector::CreateMaskOp, createMask>(context);
    attach<vector::ConstantMaskOp, constantMask>(context);
  });
}
