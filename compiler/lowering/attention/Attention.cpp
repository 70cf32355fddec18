//===- Attention.cpp - attention as loops over blocks ---------------------===//

#include "AnySizeAttention.h"
#include "FewQueryAttention.h"

using namespace mlir;
using namespace heddle;

/// Emits an error and fails if the op has types or sizes for which no plan exists.
static LogicalResult checkTypes(AttentionOp op) {
  for (Value value :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector_of<Value>(op->getResults())))
    if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
      return op.emitError("cannot lower attention on ") << value.getType() << ": its shape must be static";
  Type element = getElementTypeOrSelf(op.getQuery());
  if (!element.isF32() && !element.isF64())
    return op.emitError("cannot lower attention on elements of type ") << element << ": only f32 and f64 are supported";
  return success();
}

/// Emits an error and fails if the plan of the op cannot be emitted.
static LogicalResult checkPlan(AttentionOp op, const AttentionFacts &facts, const AttentionPlan &plan,
                               const AttentionTiles &tiles) {
  if (tiles.inParts && !tiles.inRows)
    return op.emitError("cannot divide the keys of attention into parts: `in_parts` requires `in_rows`");
  if (tiles.inRows && !facts.queries.isFixed())
    return op.emitError("cannot lower attention with keys in vector lanes: the number of queries lies in a range");
  if (tiles.inRows && plan.countsKeys && plan.once)
    return op.emitError(
        "cannot lower attention with keys in vector lanes in one block: the number of keys lies in a range");
  return success();
}

LogicalResult heddle::lowerAttention(RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles) {
  if (failed(checkTypes(op)))
    return failure();
  if (tiles.blockQ < 1 || tiles.blockK < 1)
    return op.emitError("cannot lower attention in blocks of ")
           << tiles.blockQ << " queries and " << tiles.blockK << " keys";
  AttentionOp::Extents sizes = op.getSizes();
  if (llvm::is_contained({sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys, sizes.headSize, sizes.valueSize},
                         0))
    return op.emitError("cannot lower attention with an empty dimension");
  AttentionFacts facts = AttentionFacts::of(op);
  AttentionPlan plan = AttentionPlan::of(facts, tiles);
  if (failed(checkPlan(op, facts, plan, tiles)))
    return failure();
  if (tiles.inRows)
    FewQueryAttention(rewriter, op, plan, tiles).emit();
  else if (plan.countsKeys || !facts.queries.isFixed())
    AnySizeAttention(rewriter, op, plan, tiles).emit();
  else
    PrefillAttention(rewriter, op, plan, tiles).emit();
  return success();
}
