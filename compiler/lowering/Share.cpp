//===- Share.cpp - transform.heddle.share ---------------------------------===//
//
// The op returns `whole` x `parts` / `of`, rounded down. Strategies use it to
// compute, for example, the share of workgroup memory that a buffer may use.
//
//===----------------------------------------------------------------------===//

#include "TransformOps.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace heddle;

DiagnosedSilenceableFailure transforms::ShareOp::apply(transform::TransformRewriter &rewriter,
                                                       transform::TransformResults &results,
                                                       transform::TransformState &state) {
  FailureOr<SmallVector<int64_t>> whole = getPositive(state, getWhole());
  if (failed(whole))
    return emitDefiniteFailure("expects a positive integer as the number to divide into shares");
  Attribute share = rewriter.getI64IntegerAttr(whole->front() * int64_t(getParts()) / int64_t(getOf()));
  results.setParams(cast<OpResult>(getShare()), share);
  return DiagnosedSilenceableFailure::success();
}

void transforms::ShareOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getWholeMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
}
