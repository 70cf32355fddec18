//===- AttentionPartPlan.cpp - attention of few queries by parts ----------===//

#include "AttentionPartPlan.h"
#include "EvenParts.h"

using namespace mlir;
using namespace heddle;

/// The minimum number of keys of a part for each of its rows.
static constexpr int64_t keysOfRow = 8;

/// The number of elements of keys and values that a lane can hold besides the sums. Each takes a register.
static constexpr int64_t maxConverted = 64;

/// Sets the number of rows and warps for the plan's number of heads, and reduces the keys and the stages until the tiles
/// fit. Returns false if they do not fit.
bool AttentionPartPlan::fit(const Facts &facts, const AttentionTileBlock::Limits &limits) {
  auto [m, n, k] = facts.kind.getShape();
  block.queries = llvm::alignTo(heads * facts.queries.high(), m);
  block.warps = block.queries / m;
  if (FragmentKind::lanes * block.warps > limits.threads)
    return false;
  int64_t columns = AttentionTileBlock::getDepth(facts.kind, facts.sizes.headSize) +
                    AttentionTileBlock::getWidth(facts.kind, facts.sizes.valueSize);
  while (facts.converts && block.keys * columns > maxConverted * FragmentKind::lanes * block.warps &&
         block.keys % (2 * n) == 0 && block.keys % (2 * k) == 0)
    block.keys /= 2;
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
