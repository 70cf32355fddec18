//===- Vectorize.cpp - transform.heddle.vectorize -------------------------===//
//
// Checks the parameters of the op (see TransformOps.td) and calls the
// vectorizers in compiler/vectorize and HeadLanes.h.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "TransformOps.h"
#include "attention/HeadLanes.h"
#include "vectorize/Vectorizer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

DiagnosedSilenceableFailure transforms::VectorizeOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                Operation *target, transform::TransformState &state) {
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, {getLanes(), getRegisters(), getBits()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as lanes, registers and bits");
  VectorOptions options;
  options.lanes = (*sizes)[0];
  options.registers = (*sizes)[1] * (*sizes)[2] / (32 * options.lanes);
  options.blocks = getBlocks();
  options.equalSums = !Sizes(target).empty();
  if (options.registers < 4)
    return emitDefiniteFailure("expects registers for at least 4 vectors, found registers for ") << options.registers;
  if (options.blocks && (options.lanes < 4 || !llvm::isPowerOf2_64(options.lanes)))
    return emitDefiniteFailure("expects a power of two that is at least 4 as lanes, found ") << options.lanes;
  expandHeadLanes(rewriter, target);
  if (failed(vectorizeAll(rewriter, target, options)))
    return emitDefiniteFailure("cannot vectorise a tile");
  return DiagnosedSilenceableFailure::success();
}
