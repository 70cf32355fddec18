//===- TileBufferization.cpp - bufferization of heddle.tile_copy ----------===//

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
} // namespace

void heddle::registerTileBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    context->loadDialect<bufferization::BufferizationDialect, memref::MemRefDialect>();
    TileCopyOp::attachInterface<TileCopyModel>(*context);
  });
}
