//===- LowerGeneral.cpp - transform.heddle.lower_general ------------------===//

#include "TileTasks.h"
#include "TransformOps.h"

#include "Sizes.h"

using namespace mlir;
using namespace heddle;

/// Lowers all linalg ops of a function to tasks: an op with a loop over a size that lies in a range by lowerAnyBox, a
/// contraction by lowerContraction, and any other op by lowerGeneralOp. Concatenations and padding are lowered to
/// copies first (lowerMoves).
DiagnosedSilenceableFailure transforms::LowerGeneralOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                   Operation *target,
                                                                   transform::TransformState &state) {
  auto func = dyn_cast<func::FuncOp>(target);
  if (!func)
    return emitDefiniteFailure("expects a function as target, found ") << target->getName();
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, {getLanes(), getPanel(), getRegisters()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as lanes, panel and registers");
  lowerMoves(rewriter, func);
  // Consumers are lowered before producers. The fill of a consumer's destination then has no users left and is erased.
  auto ops = llvm::to_vector(func.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    if (op->use_empty()) {
      rewriter.eraseOp(op);
      continue;
    }
    if (op.hasDynamicShape())
      return emitDefiniteFailure("expects static shapes, found ") << op->getResultTypes();
    Sizes inRange(func);
    auto loops = op.getStaticLoopRanges();
    auto any = llvm::find_if(loops, [&](int64_t number) { return !inRange.of(number).isFixed(); });
    if (any != loops.end()) {
      if (failed(lowerAnyBox(rewriter, op, inRange)))
        return emitDefiniteFailure() << op->getName() << " does not support size '" << inRange.of(*any).sizes().front()
                                     << "', which lies in a range";
      continue;
    }
    if (succeeded(lowerContraction(rewriter, op, (*sizes)[0], (*sizes)[1], (*sizes)[2])))
      continue;
    lowerGeneralOp(rewriter, op);
  }
  return DiagnosedSilenceableFailure::success();
}
