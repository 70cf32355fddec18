//===- LaneShuffles.cpp - transposes, gathers and folds of lanes ----------===//

#include "LaneShuffles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A vector into which the wanted lanes of one or more sources are packed; `used` is the number of these lanes.
struct Pack {
  Value vector;
  int64_t used = 0;
};
} // namespace

static constexpr int64_t undefinedLane = vector::ShuffleOp::kPoisonIndex;

SmallVector<Value> heddle::gatherLanes(ImplicitLocOpBuilder &b, ArrayRef<Value> sources, ArrayRef<LanePlace> wanted) {
  auto type = cast<VectorType>(sources.front().getType());
  int64_t lanes = type.getNumElements();
  SmallVector<llvm::SmallBitVector> used(sources.size(), llvm::SmallBitVector(lanes));
  for (LanePlace place : wanted)
    used[place.source].set(place.lane);

  // places[source][lane]: the pack that contains this lane of this source, and the lane in the pack.
  SmallVector<Pack> packs;
  SmallVector<SmallVector<LanePlace>> places(sources.size(), SmallVector<LanePlace>(lanes));
  for (auto [source, value] : llvm::enumerate(sources)) {
    int64_t count = used[source].count();
    if (count == 0)
      continue;
    if (packs.empty() || packs.back().used + count > lanes) {
      for (int64_t lane = 0; lane < lanes; ++lane)
        places[source][lane] = {int64_t(packs.size()), lane};
      packs.push_back({value, count});
      continue;
    }
    // The lanes that are already in the pack come first, then the lanes of this source.
    Pack &pack = packs.back();
    int64_t number = packs.size() - 1, next = 0;
    SmallVector<int64_t> shuffle;
    for (size_t before = 0; before < source; ++before)
      for (int lane : used[before].set_bits())
        if (places[before][lane].source == number) {
          shuffle.push_back(places[before][lane].lane);
          places[before][lane].lane = next++;
        }
    for (int lane : used[source].set_bits()) {
      places[source][lane] = {number, next++};
      shuffle.push_back(lanes + lane);
    }
    shuffle.resize(lanes, undefinedLane);
    pack = {vector::ShuffleOp::create(b, pack.vector, value, shuffle), next};
  }

  SmallVector<Value> results;
  for (size_t first = 0; first < wanted.size(); first += lanes) {
    ArrayRef<LanePlace> part = wanted.slice(first, std::min<size_t>(lanes, wanted.size() - first));
    Value result;
    for (auto [number, pack] : llvm::enumerate(packs)) {
      SmallVector<int64_t> shuffle(lanes, undefinedLane);
      bool needed = false;
      for (auto [i, place] : llvm::enumerate(part)) {
        LanePlace at = places[place.source][place.lane];
        if (at.source == int64_t(number)) {
          shuffle[i] = result ? lanes + at.lane : at.lane;
          needed = true;
        } else if (result && at.source < int64_t(number)) {
          shuffle[i] = i;
        }
      }
      if (needed)
        result = vector::ShuffleOp::create(b, result ? result : pack.vector, pack.vector, shuffle);
    }
    results.push_back(result);
  }
  return results;
}

SmallVector<Value> heddle::transposeSquare(ImplicitLocOpBuilder &b, SmallVector<Value> rows) {
  int64_t n = rows.size();
  assert(n >= 4 && llvm::isPowerOf2_64(n) && "units of 4 x 4 make up the square");
  auto exchange = [&](int64_t first, int64_t second, function_ref<int64_t(int64_t lane)> low,
                      function_ref<int64_t(int64_t lane)> high) {
    SmallVector<int64_t> lows = llvm::map_to_vector(llvm::seq(n), low), highs = llvm::map_to_vector(llvm::seq(n), high);
    Value x = rows[first], y = rows[second];
    rows[first] = vector::ShuffleOp::create(b, x, y, lows);
    rows[second] = vector::ShuffleOp::create(b, x, y, highs);
  };
  for (int64_t i = 0; i < n; i += 4) {
    // The rows a, b, c, d of each unit of 4 x 4 become a0 b0 a1 b1 and a2 b2 a3 b3, and then a0 b0 c0 d0 and a1 b1 c1
    // d1.
    for (int64_t at : {i, i + 2})
      exchange(at, at + 1, [&](int64_t lane) { return lane / 4 * 4 + lane % 4 / 2 + lane % 2 * n; },
               [&](int64_t lane) { return lane / 4 * 4 + 2 + lane % 4 / 2 + lane % 2 * n; });
    for (int64_t at : {i, i + 1})
      exchange(at, at + 2, [&](int64_t lane) { return lane / 4 * 4 + lane % 2 + lane % 4 / 2 * n; },
               [&](int64_t lane) { return lane / 4 * 4 + 2 + lane % 2 + lane % 4 / 2 * n; });
    std::swap(rows[i + 1], rows[i + 2]);
  }
  for (int64_t size = 4; size < n; size *= 2)
    for (int64_t i = 0; i < n; ++i)
      if (!(i & size))
        exchange(i, i + size, [&](int64_t lane) { return lane & size ? n + lane - size : lane; },
                 [&](int64_t lane) { return lane & size ? n + lane : lane + size; });
  return rows;
}

/// Returns the two shuffles of the vectors (a, b) for one round of folding: lane i of the first shuffle is combined
/// with lane i of the second. `width`, the number of lanes of a and of b, is at most 16. Rounds that stay within four
/// lanes come first, since they are cheaper. The comments below show the first shuffle.
static std::pair<SmallVector<int64_t>, SmallVector<int64_t>> foldingRound(int64_t round, int64_t width) {
  SmallVector<int64_t> low, high;
  int64_t unit = std::min<int64_t>(width, 4), groups = width / unit;
  for (int64_t i = 0; i < width; ++i) {
    int64_t group = i / unit, j = i % unit, from, distance;
    bool second;
    if (round == 0) { // a0 b0 a1 b1
      second = j % 2;
      from = group * unit + j / 2;
      distance = unit / 2;
    } else if (round == 1 && unit == 4) { // a0 a1 b0 b1
      second = j >= 2;
      from = group * unit + j % 2;
      distance = 2;
    } else if (round == 2) { // the first half of the groups of four lanes of both vectors
      second = group >= groups / 2;
      from = group % (groups / 2) * unit + j;
      distance = groups / 2 * unit;
    } else { // groups (of four lanes) 0 and 2 of both vectors
      second = group >= 2;
      from = group % 2 * 2 * unit + j;
      distance = unit;
    }
    low.push_back(from + (second ? width : 0));
    high.push_back(low.back() + distance);
  }
  return {low, high};
}

/// Folds two vectors into one in the given round.
static Value foldPair(ImplicitLocOpBuilder &b, int64_t round, Value first, Value second,
                      function_ref<Value(Value low, Value high)> combine) {
  auto [low, high] = foldingRound(round, cast<VectorType>(first.getType()).getNumElements());
  Value lows = vector::ShuffleOp::create(b, first, second, low);
  return combine(lows, vector::ShuffleOp::create(b, first, second, high));
}

Value heddle::foldLanes(ImplicitLocOpBuilder &b, SmallVector<Value> parts,
                        function_ref<Value(Value low, Value high)> combine) {
  int64_t width = cast<VectorType>(parts.front().getType()).getNumElements();
  for (int64_t round = 0, lanes = width; lanes > 1; ++round, lanes /= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < parts.size(); i += 2)
      next.push_back(foldPair(b, round, parts[i], i + 1 < parts.size() ? parts[i + 1] : parts[i], combine));
    parts = next;
  }
  return parts.front();
}

void LaneFolder::add(Value part, size_t round) {
  if (waiting.size() <= round)
    waiting.resize(round + 1);
  if (Value first = std::exchange(waiting[round], Value()))
    add(foldPair(*b, round, first, part, combine), round + 1);
  else
    waiting[round] = part;
}

Value LaneFolder::finish() {
  auto any = llvm::find_if(waiting, [](Value part) { return bool(part); });
  size_t rounds = llvm::Log2_64(cast<VectorType>(any->getType()).getNumElements());
  waiting.resize(rounds + 1);
  for (size_t round = 0; round < rounds; ++round)
    if (Value last = std::exchange(waiting[round], Value()))
      add(foldPair(*b, round, last, last, combine), round + 1);
  return waiting[rounds];
}
