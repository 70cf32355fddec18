//===- LowerAttentionParts.cpp - transform.heddle.lower_attention_parts ---===//

#include "AttentionPartsLowering.h"
#include "TileTarget.h"
#include "TransformOps.h"
#include "Widened.h"

#include "Sizes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

/// Returns the facts on which the plan for the op depends.
static AttentionPartPlan::Facts factsOf(AttentionOp op, FragmentKind kind) {
  AttentionOp::Extents sizes = op.getSizes();
  Sizes ranges(op);
  // Returns whether the rows of each head are below those of the previous head. Queries of several heads are then
  // adjacent rows.
  auto areBelow = [&](Value tensor, Layout layout) {
    return HeadRows::of(op, cast<RankedTensorType>(tensor.getType()), layout).areBelow();
  };
  bool sharesKeys = areBelow(op.getQuery(), op.getQueryLayout()) && areBelow(op.getResult(), op.getResultLayout());
  return {kind,
          sizes,
          ranges.of(sizes.batch),
          ranges.of(sizes.queries),
          ranges.of(sizes.keys),
          sharesKeys,
          convertsKeysOrValues(op, kind)};
}

/// Completes `plan`, which has a number of keys and of stages. Returns why that is not possible, or "".
static std::string completePlan(AttentionPartPlan &plan, AttentionOp op, FragmentKind kind,
                                const AttentionTileBlock::Limits &limits) {
  AttentionPartPlan::Facts facts = factsOf(op, kind);
  if (plan.complete(facts, limits))
    return "";
  return llvm::formatv(
      "is for queries of a head that fit into the registers and {0} bytes of a workgroup of at most {1} "
      "threads, found {2} queries, of {3} elements each, and values of {4} elements",
      limits.bytes, limits.threads, facts.queries.high(), facts.sizes.headSize, facts.sizes.valueSize);
}

DiagnosedSilenceableFailure transforms::MatchAttentionPartsOp::matchOperation(Operation *current,
                                                                              transform::TransformResults &,
                                                                              transform::TransformState &state) {
  std::string reason;
  FragmentKind kind = chooseAttentionKind(current, getKinds(), reason);
  if (!kind)
    return emitSilenceableError() << reason;
  FailureOr<SmallVector<int64_t>> numbers = getPositive(state, {getKeys(), getStages(), getThreads(), getKib()});
  if (failed(numbers))
    return emitDefiniteFailure("expects positive integers as keys, stages, threads and kib");
  auto op = cast<AttentionOp>(current);
  if (int64_t queries = Sizes(op).of(op.getSizes().queries).high(); queries > int64_t(getAtMost()))
    return emitSilenceableError() << "is for at most " << getAtMost() << " queries, found " << queries;
  AttentionPartPlan plan = {};
  plan.block.keys = (*numbers)[0];
  plan.block.stages = (*numbers)[1];
  return matchUnless(getOperation(), completePlan(plan, op, kind, {(*numbers)[2], (*numbers)[3] * 1024, /*blocks=*/1}));
}

LogicalResult transforms::LowerAttentionPartsOp::verify() { return verifyTileTarget(getOperation()); }

DiagnosedSilenceableFailure transforms::LowerAttentionPartsOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                          Operation *target,
                                                                          transform::TransformState &state) {
  std::string reason;
  FragmentKind kind = chooseAttentionKind(target, getKinds(), reason);
  if (!kind)
    return emitDefiniteFailure(reason);
  FailureOr<SmallVector<int64_t>> numbers =
      getPositive(state, {getKeys(), getStages(), getThreads(), getKib(), getBlocks()});
  if (failed(numbers))
    return emitDefiniteFailure("expects positive integers as keys, stages, threads, kib and blocks");
  FailureOr<bool> approximate = isApproximate(state, getApproximate());
  if (failed(approximate))
    return emitDefiniteFailure("expects an integer as approximate");
  AttentionPartPlan plan = {};
  plan.block.keys = (*numbers)[0];
  plan.block.stages = (*numbers)[1];
  AttentionTileBlock::Limits limits = {(*numbers)[2], (*numbers)[3] * 1024, (*numbers)[4]};
  if (plan.block.keys % kind.getShape()[1] || plan.block.keys % kind.getShape()[2])
    return emitDefiniteFailure() << "expects steps of whole fragments, found " << plan.block.keys << " keys";
  auto op = cast<AttentionOp>(target);
  if (reason = completePlan(plan, op, kind, limits); !reason.empty())
    return emitDefiniteFailure(reason);
  AttentionPartsLowering(rewriter, op, kind, plan, *approximate).run();
  return DiagnosedSilenceableFailure::success();
}
