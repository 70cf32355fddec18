//===- AccessesBufferization.cpp - bufferization of heddle.accesses -------===//

#include "heddle/Accesses.h"

#include "Heddle.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Bufferizes heddle.accesses. The region of this operation contains accesses to tensors. For each tensor, the
/// attribute `last` contains the number of the last access and, if the region writes the tensor, `first` contains the
/// number of the first write. Bufferization replaces the operation by the operations of its region.
struct AccessesModel : bufferization::BufferizableOpInterface::ExternalModel<AccessesModel, AccessesOp> {
  /// Returns whether the operand is one of the tensors that the operation writes. These operands follow the inputs.
  static bool isOutput(Operation *op, OpOperand &operand) {
    return operand.getOperandNumber() >= cast<AccessesOp>(op).getInputs().size();
  }
  static unsigned outputNumber(Operation *op, OpOperand &operand) {
    return operand.getOperandNumber() - cast<AccessesOp>(op).getInputs().size();
  }
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const bufferization::AnalysisState &) const {
    return !isOutput(op, operand) || !cast<AccessesOp>(op).getOverwritten()[outputNumber(op, operand)];
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand, const bufferization::AnalysisState &) const {
    return isOutput(op, operand);
  }
  bufferization::AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                                     const bufferization::AnalysisState &) const {
    if (!isOutput(op, operand))
      return {};
    return {{op->getResult(outputNumber(op, operand)), bufferization::BufferRelation::Equivalent}};
  }
  /// Returns whether the operands `read` and `write` may share a buffer. This is the case if the last access to `read`
  /// precedes the first write to `write`, and the tensor `read` is defined in the same region as the operation. (If it
  /// were defined outside of a loop around the operation, the next iteration of the loop would read it again.)
  bool isNotConflicting(Operation *op, OpOperand *read, OpOperand *write,
                        const bufferization::AnalysisState &state) const {
    auto accesses = cast<AccessesOp>(op);
    if (read->getOwner() != op || write->getOwner() != op || !isOutput(op, *write) ||
        accesses.getLast()[read->getOperandNumber()] >= accesses.getFirst()[outputNumber(op, *write)])
      return false;
    return llvm::all_of(state.findDefinitions(read),
                        [&](Value made) { return made.getParentRegion() == op->getParentRegion(); });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto accesses = cast<AccessesOp>(op);
    SmallVector<Value> buffers;
    for (Value tensor : op->getOperands()) {
      FailureOr<Value> buffer = bufferization::getBuffer(rewriter, tensor, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    Block &body = accesses.getBody().front();
    Operation *yield = body.getTerminator();
    SmallVector<Value> results = llvm::to_vector(ArrayRef(buffers).drop_front(accesses.getInputs().size()));
    llvm::append_range(results, yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&body, op, buffers);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void heddle::registerAccessesBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    context->loadDialect<bufferization::BufferizationDialect, memref::MemRefDialect>();
    AccessesOp::attachInterface<AccessesModel>(*context);
  });
}
