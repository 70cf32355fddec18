//===- WriteBufferization.cpp - bufferization of transfer_write -----------===//
//
// This file replaces upstream's implementation of BufferizableOpInterface for
// vector.transfer_write, which compares the first dimensions of the vector and
// the tensor. If the vector has as many lanes as the tensor has rows,
// upstream's implementation mistakes the write of one row for a write of the
// whole tensor.
//
//===----------------------------------------------------------------------===//

#include "heddle/Accesses.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// Returns whether the write overwrites all elements of the tensor.
static bool overwritesAll(vector::TransferWriteOp write) {
  ShapedType tensor = write.getShapedType();
  if (!write.getPermutationMap().isMinorIdentity() || !tensor.hasStaticShape())
    return false;
  // The number of elements written along each dimension of the vector. A mask has the same dimensions.
  ArrayRef<int64_t> lanes = write.getVectorType().getShape();
  if (Value mask = write.getMask()) {
    auto constant = mask.getDefiningOp<vector::ConstantMaskOp>();
    if (!constant)
      return false;
    lanes = constant.getMaskDimSizes();
  }
  SmallVector<int64_t> extents(tensor.getRank() - lanes.size(), 1);
  llvm::append_range(extents, lanes);
  return llvm::all_of(write.getIndices(), [](Value index) { return isZeroInteger(index); }) &&
         llvm::all_of(llvm::zip_equal(tensor.getShape(), extents),
                      [](auto sizes) { return std::get<0>(sizes) <= std::get<1>(sizes); });
}

namespace {
struct WriteModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<WriteModel, vector::TransferWriteOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const bufferization::AnalysisState &) const {
    return !overwritesAll(cast<vector::TransferWriteOp>(op));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto write = cast<vector::TransferWriteOp>(op);
    FailureOr<Value> buffer = bufferization::getBuffer(rewriter, write.getBase(), options, state);
    if (failed(buffer))
      return failure();
    vector::TransferWriteOp::create(rewriter, write.getLoc(), write.getVector(), *buffer, write.getIndices(),
                                    write.getPermutationMapAttr(), write.getMask(), write.getInBoundsAttr());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};
} // namespace

void heddle::registerWriteBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    context->loadDialect<bufferization::BufferizationDialect, memref::MemRefDialect>();
    vector::TransferWriteOp::attachInterface<WriteModel>(*context);
  });
}
