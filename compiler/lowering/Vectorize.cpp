//===- Vectorize.cpp - transform.heddle.vectorize -------------------------===//

#include "Attention.h"
#include "TransformOps.h"
#include "vectorize/Vectorizer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

DiagnosedSilenceableFailure transforms::VectorizeOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                Operation *target, transform::TransformState &state) {
  FailureOr<int64_t> lanes = getInteger(state, getLanes());
  if (failed(lanes) || *lanes <= 0)
    return emitDefiniteFailure("expects a positive integer as lanes");
  if (getRegisters() < 4)
    return emitDefiniteFailure("expects at least 4 registers, found ") << getRegisters();
  if (getBlocks() && (*lanes < 4 || !llvm::isPowerOf2_64(*lanes)))
    return emitDefiniteFailure("expects a power of two from 4 on as lanes of blocks, found ") << *lanes;
  expandHeadLanes(rewriter, target);
  VectorOptions options;
  options.lanes = *lanes;
  options.registers = getRegisters();
  options.blocks = getBlocks();
  if (failed(vectorizeAll(rewriter, target, options)))
    return emitDefiniteFailure("cannot vectorise a tile");
  return DiagnosedSilenceableFailure::success();
}
