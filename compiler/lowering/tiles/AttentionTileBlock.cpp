//===- AttentionTileBlock.cpp - blocks of attention by tiles --------------===//

#include "AttentionTileBlock.h"

#include "tiles/FragmentLayout.h"

using namespace mlir;
using namespace heddle;

/// The maximum numbers of registers of a lane. `maxSums` is for scores and sums. `maxElements` is for scores, sums,
/// rounded weights and elements that are being copied into tiles. `maxWithAddresses` is for scores, sums, the factors
/// of their products and the addresses of copies. A thread has 255 registers; all other values need the rest. Close to
/// `maxWithAddresses` (heads of 256 and values of 192 elements in f32), ptxas spills a few registers, which costs less
/// than the barriers of another strategy.
static constexpr int64_t maxSums = 144, maxElements = 224, maxWithAddresses = 208;
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

/// Returns whether the keys of a step are whole fragments, as columns of scores and along the depth of the second
/// product.
bool AttentionTileBlock::areKeysWhole(FragmentKind kind) const {
  return keys > 0 && keys % kind.getShape()[1] == 0 && keys % kind.getShape()[2] == 0;
}

bool AttentionTileBlock::hasRegisters(FragmentKind kind, const AttentionOp::Extents &sizes) const {
  int64_t depth = getDepth(kind, sizes.headSize), width = getWidth(kind, sizes.valueSize);
  auto words = [&](FragmentRole role) { return kind.getElementOf(role).getIntOrFloatBitWidth() / 32.0; };
  double ofScores = double(queries / warps * keys) / FragmentKind::lanes;
  double ofSums = double(queries / warps * width) / FragmentKind::lanes;
  double sums = (ofScores + ofSums) * words(FragmentRole::Sum);
  double weights = keepsWeights(kind) ? ofScores * words(FragmentRole::Left) : 0;
  double copied = double(keys * (depth + width)) / (FragmentKind::lanes * warps); // elements of keys and values
  bool areUnderWay = converts && stages > 1;
  // The left factors of all blocks of rows are loaded before the first right factor.
  double leftFactors = double(queries / warps / kind.getShape()[0] * kind.getCount(FragmentRole::Left));
  double factors =
      leftFactors * words(FragmentRole::Left) + double(kind.getCount(FragmentRole::Right)) * words(FragmentRole::Right);
  // Each lane has a register for the address of each access of 128 bits. Elements that are converted have 32 bits.
  double addresses = copied * (converts ? 1.0 : words(FragmentRole::Right)) / (FragmentKind::widestAccess / 32);
  return sums <= maxSums && sums + weights + (areUnderWay ? copied : 0) <= maxElements &&
         sums + factors + addresses <= maxWithAddresses;
}

int64_t AttentionTileBlock::countBytes(FragmentKind kind, const AttentionOp::Extents &sizes) const {
  int64_t depth = getDepth(kind, sizes.headSize), width = getWidth(kind, sizes.valueSize);
  int64_t bytes = kind.getElementOf(FragmentRole::Left).getIntOrFloatBitWidth() / 8;
  return bytes * (queries * (depth + (keepsWeights(kind) ? 0 : keys)) + stages * keys * (depth + width));
}

bool AttentionTileBlock::fitKeys(FragmentKind kind, const AttentionOp::Extents &sizes) {
  for (int64_t count : {stages, int64_t(1)}) // with one stage, no elements are under way
    for (AttentionTileBlock block = {queries, keys, warps, count, converts}; block.areKeysWhole(kind); block.keys /= 2)
      if (block.hasRegisters(kind, sizes)) {
        *this = block;
        return true;
      }
  return false;
}

bool AttentionTileBlock::fitBytes(FragmentKind kind, const AttentionOp::Extents &sizes, int64_t most) {
  for (AttentionTileBlock block = *this; block.stages > 0; block = {queries, keys, warps, block.stages - 1, converts}) {
    while (block.countBytes(kind, sizes) > most && block.queries / 2 >= minQueries && block.halve(kind)) {
    }
    if (block.countBytes(kind, sizes) > most)
      continue;
    *this = block;
    return true;
  }
  stages = 1;
  while (countBytes(kind, sizes) > most && halve(kind)) {
  }
  return countBytes(kind, sizes) <= most;
}

bool AttentionTileBlock::fit(FragmentKind kind, const AttentionOp::Extents &sizes, int64_t heads, int64_t queryCount,
                             const Limits &limits) {
  while (FragmentKind::lanes * warps > limits.threads) {
    if (warps % 2)
      return false;
    warps /= 2;
  }
  while (queries / 2 >= queryCount && halve(kind)) {
  }
  while (!hasRegisters(kind, sizes) && queries / warps > kind.getShape()[0] && halve(kind)) {
  }
  // If fitBytes reduces the number of warps, each lane copies more elements, so registers may not suffice.
  if (!fitKeys(kind, sizes) || !fitBytes(kind, sizes, limits.bytes) || !fitKeys(kind, sizes))
    return false;
  auto areTooFew = [&] { return heads * llvm::divideCeilSigned(queryCount, queries) < limits.blocks; };
  for (AttentionTileBlock smaller = *this; areTooFew() && queries / 2 >= minQueries; *this = smaller)
    if (!smaller.halve(kind) || !smaller.hasRegisters(kind, sizes))
      break;
  AttentionTileBlock larger = *this;
  larger.keys *= 2;
  bool isPadded = llvm::alignTo(sizes.keys, larger.keys) > llvm::alignTo(sizes.keys, keys);
  if (areTooFew() && !isPadded && !converts && larger.hasRegisters(kind, sizes) &&
      larger.countBytes(kind, sizes) <= limits.bytes)
    *this = larger;
  return true;
}
