//===- Vectorize.cpp - transform.heddle.vectorize -------------------------===//

#include "vectorize/Vectorizer.h"
#include "TransformOps.h"

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
  if (failed(vectorizeAll(rewriter, target, {*lanes, int64_t(getRegisters())})))
    return emitDefiniteFailure("cannot vectorise a tile");
  return DiagnosedSilenceableFailure::success();
}
