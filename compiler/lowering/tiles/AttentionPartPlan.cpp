//===- AttentionPartPlan.cpp - attention of few queries by parts ----------===//

#include "AttentionPartPlan.h"
#include "EvenParts.h"

using namespace mlir;
using namespace heddle;

/// The minimum number of keys of a part for each of its rows.
static constexpr int64_t keysOfRow = 8;

/// Sets the number of rows and warps for the plan's number of heads, and reduces the keys and the stages until the tiles
/// fit. Returns false if they do not fit.
bool AttentionPartPlan::fit(const Facts &facts, const AttentionTileBlock::Limits &limits) {
  int64_t rows = facts.kind.getShape()[0];
  block.queries = llvm::alignTo(heads * facts.queries.high(), rows);
  block.warps = block.queries / rows;
  block.converts = facts.converts;
  if (FragmentKind::lanes * block.warps > limits.threads || !block.fitKeys(facts.kind, facts.sizes))
    return false;
  if (block.countBytes(facts.kind, facts.sizes) > limits.bytes)
    block.stages = 1;
  return block.countBytes(facts.kind, facts.sizes) <= limits.bytes;
}

bool AttentionPartPlan::complete(const Facts &facts, const AttentionTileBlock::Limits &limits) {
  int64_t sharing = facts.sizes.queryHeads / facts.sizes.keyHeads, stages = block.stages, keys = block.keys;
  heads = facts.sharesKeys ? sharing : 1;
  for (;; --heads) {
    block.stages = stages;
    block.keys = keys;
    if (sharing % heads == 0 && fit(facts, limits))
      break;
    if (heads == 1)
      return false;
  }
  int64_t allSteps = llvm::divideCeilSigned(facts.keys.high(), block.keys);
  int64_t groups = std::max<int64_t>(facts.batch.low(), 1) * (facts.sizes.queryHeads / heads);
  int64_t fewest = llvm::divideCeilSigned(keysOfRow * heads * facts.queries.high(), block.keys);
  EvenParts even = EvenParts::of(allSteps, llvm::divideCeilSigned(limits.blocks, groups), fewest);
  steps = even.steps;
  parts = even.count;
  return true;
}
