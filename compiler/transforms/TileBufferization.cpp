//===- TileBufferization.cpp - bufferization of operations on tiles -------===//

#include "heddle/Accesses.h"

#include "Heddle.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A copy reads its source and overwrites all of its tile.
struct TileCopyModel : bufferization::DstBufferizableOpInterfaceExternalModel<TileCopyModel, TileCopyOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const bufferization::AnalysisState &) const {
    return &operand == &cast<TileCopyOp>(op).getSourceMutable();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto copy = cast<TileCopyOp>(op);
    FailureOr<Value> source = bufferization::getBuffer(rewriter, copy.getSource(), options, state);
    FailureOr<Value> tile = bufferization::getBuffer(rewriter, copy.getTile(), options, state);
    if (failed(source) || failed(tile))
      return failure();
    TileCopyOp::create(rewriter, copy.getLoc(), Type(), *source, copy.getIndices(), copy.getValid(), *tile,
                       /*async=*/false);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *tile);
    return success();
  }
};

/// A product reads its operands and adds to its sums or, with `from_zero`, overwrites its sums.
struct TileProductModel : bufferization::DstBufferizableOpInterfaceExternalModel<TileProductModel, TileProductOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const bufferization::AnalysisState &) const {
    auto product = cast<TileProductOp>(op);
    return &operand != &product.getStartMutable() || !product.getFromZero();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto product = cast<TileProductOp>(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    TileProductOp::create(rewriter, product.getLoc(), Type(), buffers[0], buffers[1], buffers[2],
                          ArrayRef(buffers).drop_front(3), product.getKind(), product.getEvery(), product.getLocality(),
                          product.getFromZero());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, buffers[2]);
    return success();
  }
};
} // namespace

void heddle::registerTileBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    context->loadDialect<bufferization::BufferizationDialect, memref::MemRefDialect>();
    TileCopyOp::attachInterface<TileCopyModel>(*context);
    TileProductOp::attachInterface<TileProductModel>(*context);
  });
}
