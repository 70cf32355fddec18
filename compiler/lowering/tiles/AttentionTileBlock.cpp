//===- AttentionTileBlock.cpp - blocks of attention by tiles --------------===//

#include "AttentionTileBlock.h"

#include "tiles/FragmentLayout.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of scores and sums of a lane, such that its registers can also hold the factors of a step.
static constexpr int64_t maxSums = 128;
/// The number of queries below which a block is not divided to get more workgroups: each key that a workgroup reads is
/// multiplied by all of its queries.
static constexpr int64_t minQueries = 64;

int64_t AttentionTileBlock::getDepth(FragmentKind kind, int64_t headSize) {
  return llvm::alignTo(headSize, kind.getShape()[2]);
}
int64_t AttentionTileBlock::getWidth(FragmentKind kind, int64_t valueSize) {
  return llvm::alignTo(valueSize, kind.getShape()[1]);
}

/// Halves the number of queries. Also halves the number of warps if a warp would otherwise have less than one fragment.
bool AttentionTileBlock::halve(FragmentKind kind) {
  int64_t rows = kind.getShape()[0];
  bool hasFewerWarps = queries % 2 || queries / 2 % (rows * warps);
  if (hasFewerWarps && (warps % 2 || queries % 2 || queries / 2 % (rows * warps / 2)))
    return false;
  queries /= 2;
  warps /= hasFewerWarps ? 2 : 1;
  return true;
}

bool AttentionTileBlock::keepsWeights(FragmentKind kind) { return succeeded(findLeftInSums(kind)); }

/// Returns the number of scores and sums of a lane.
int64_t AttentionTileBlock::countSums(FragmentKind kind, const AttentionOp::Extents &sizes) const {
  return queries / warps * (keys + getWidth(kind, sizes.valueSize)) / FragmentKind::lanes;
}

int64_t AttentionTileBlock::countBytes(FragmentKind kind, const AttentionOp::Extents &sizes) const {
  int64_t depth = getDepth(kind, sizes.headSize), width = getWidth(kind, sizes.valueSize);
  int64_t bytes = kind.getElementOf(FragmentRole::Left).getIntOrFloatBitWidth() / 8;
  return bytes * (queries * (depth + (keepsWeights(kind) ? 0 : keys)) + stages * keys * (depth + width));
}

bool AttentionTileBlock::canFit(FragmentKind kind, const AttentionOp::Extents &sizes, int64_t keys, int64_t bytes) {
  AttentionTileBlock smallest = {kind.getShape()[0], keys, /*warps=*/1, /*stages=*/1};
  return smallest.countSums(kind, sizes) <= maxSums && smallest.countBytes(kind, sizes) <= bytes;
}

bool AttentionTileBlock::fit(FragmentKind kind, const AttentionOp::Extents &sizes, int64_t heads, int64_t queryCount,
                             const Limits &limits) {
  while (FragmentKind::lanes * warps > limits.threads)
    if (!halve(kind))
      return false;
  while (queries / 2 >= queryCount && halve(kind)) {
  }
  while (countSums(kind, sizes) > maxSums)
    if (!halve(kind))
      return false;
  while (countBytes(kind, sizes) > limits.bytes && halve(kind)) {
  }
  if (countBytes(kind, sizes) > limits.bytes)
    stages = 1;
  while (heads * llvm::divideCeilSigned(queryCount, queries) < limits.blocks && queries / 2 >= minQueries &&
         halve(kind)) {
  }
  return countBytes(kind, sizes) <= limits.bytes;
}
