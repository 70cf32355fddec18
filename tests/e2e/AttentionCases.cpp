//===- AttentionCases.cpp - random quoted attention operations ------------===//

#include "AttentionCases.h"

#include "../random/Random.h"

#include "heddle/Verify.h"

#include <limits>
#include <map>

using namespace heddle;
using llvm::ArrayRef;

using Words = std::map<std::string, std::string>; // the knobs of a quoted attention operation, with their values

/// The properties that a case may have. Most of them are knobs of the quoted operation. Bshd selects the layout bshd,
/// Grouped selects several query heads for each key head, and ValueSize selects a separate head size for values.
enum Knob { Scale, Softcap, Bias, Mask, MaskedScore, LowerRight, UpperLeft, Window, KeyLengths, NanRow, SoftmaxF64,
            Rounding, Weights, Bshd, Grouped, ValueSize, Score, Probability, NumKnobs };

/// Whether a quoted attention operation may have both knobs.
static bool fitTogether(unsigned a, unsigned b) {
  auto are = [&](Knob one, Knob other) { return (a == one && b == other) || (a == other && b == one); };
  return !are(LowerRight, UpperLeft) && !are(Rounding, SoftmaxF64) && !are(Rounding, Weights) &&
         !are(Rounding, Probability);
}

/// Returns a random value of the knobs `mask` and `bias`: a letter for each dimension of the tensor, and 1 for a
/// dimension that is broadcast.
static std::string broadcast(Random &random) {
  return random.pick<const char *>({"1", "qk", "k", "b11k", "hqk", "b1qk", "h1k", "q1"});
}

/// Sets the words of the quoted operation that belong to `knob`, with random values.
static void setWords(Knob knob, Words &words, Random &random) {
  switch (knob) {
  case Scale:
    words["scale"] = random.pick<const char *>({"0.3", "1", "0.125"});
    return;
  case Softcap:
    words["softcap"] = random.pick<const char *>({"0.5", "5", "30"});
    return;
  case Bias:
    words["bias"] = broadcast(random);
    return;
  case Mask:
    words.insert({"mask", broadcast(random)});
    return;
  case MaskedScore:
    words.insert({"mask", broadcast(random)});
    words["masked_score"] = random.pick<const char *>({"-1e9", "-10000", "0.5"});
    return;
  case LowerRight:
    words["causal"] = "lower_right";
    return;
  case UpperLeft:
    words["causal"] = "upper_left";
    return;
  case Window:
    words["window"] = random.pick<const char *>({"0,0", "3,-1", "-1,2", "5,5", "20,0", "0,70"});
    return;
  case KeyLengths:
    words["key_lengths"] = "1";
    return;
  case NanRow:
    words["empty_row"] = random.pick<const char *>({"nan", "nan_to_zeros"});
    words.insert({"mask", broadcast(random)});
    return;
  case SoftmaxF64:
    words["softmax_precision"] = "f64";
    return;
  case Rounding:
    words["rounding"] = random.pick<const char *>({"bf16", "f16"});
    return;
  case Weights:
    words["weights"] = "1";
    return;
  case Bshd:
    words["layout"] = "bshd";
    return;
  case Grouped:
    words["hq"] = "6";
    words["hkv"] = random.pick<const char *>({"1", "2", "3"});
    return;
  case ValueSize:
    words["dv"] = ""; // makeCase() replaces it by a random size
    return;
  case Score:
    words["score"] = random.pick<const char *>({"alibi", "documents", "square"});
    if (words.count("bias") && words["score"] == "square")
      words["score"] = "alibi"; // the square of a large negative bias overflows f32
    return;
  case Probability:
    words["probability"] = random.pick<const char *>({"square", "soft_threshold", "offset"});
    return;
  case NumKnobs:
    break;
  }
}

/// Draws the number of queries and the number of keys. If `ranges` is true, at least one of them is a range.
static void drawPositions(Words &words, bool ranges, Random &random) {
  auto size = [&](bool range) -> std::string {
    if (range)
      return random.pick<const char *>({"1..135", "1..40", "2..17", "60..200", "15..16"});
    return std::to_string(random.pick({1, 2, 15, 16, 17, 39, 64, 135}));
  };
  // Which numbers are ranges: 0: none, 1: that of queries, 2: that of keys, 3: both, 4: both, as one size `s`.
  uint64_t which = ranges ? 1 + random.below(4) : 0;
  if (which == 4) {
    words["s"] = size(true);
    return;
  }
  words["sq"] = size(which & 1);
  words["skv"] = size(which & 2);
}

/// Makes a case with these knobs, with values and sizes that depend on `seed`.
static AttentionCase makeCase(ArrayRef<Knob> knobs, uint64_t seed, bool ranges) {
  Random random(seed);
  Words words;
  for (Knob knob : knobs)
    setWords(knob, words, random);
  auto size = [&] { return std::to_string(random.pick({1, 2, 15, 16, 17, 39, 64, 135})); };
  words["b"] = random.oneIn(2) ? "1" : "2";
  words.insert({"hq", random.pick<const char *>({"1", "2", "3"})});
  drawPositions(words, ranges, random);
  words["d"] = size();
  if (words.count("dv"))
    words["dv"] = size();
  AttentionCase result{"attention", seed};
  for (const auto &[name, value] : words)
    result.operation += " " + name + "=" + value;
  return result;
}

/// Returns a random set of knobs that may occur together.
static std::vector<Knob> someKnobs(Random &random) {
  std::vector<Knob> set;
  for (unsigned knob = 0; knob < NumKnobs; ++knob)
    if (random.oneIn(3) && llvm::all_of(set, [&](Knob other) { return fitTogether(knob, other); }))
      set.push_back(Knob(knob));
  return set;
}

/// Returns the empty set, a set of each knob, and a set of each pair of knobs that may occur together.
static std::vector<std::vector<Knob>> smallSets() {
  std::vector<std::vector<Knob>> sets = {{}};
  for (unsigned a = 0; a < NumKnobs; ++a)
    sets.push_back({Knob(a)});
  for (unsigned a = 0; a < NumKnobs; ++a)
    for (unsigned b = a + 1; b < NumKnobs; ++b)
      if (fitTogether(a, b))
        sets.push_back({Knob(a), Knob(b)});
  return sets;
}

unsigned numKnobSets() { return smallSets().size(); }

static std::vector<AttentionCase> makeCases(unsigned count, uint64_t seed, bool ranges) {
  std::vector<std::vector<Knob>> sets = smallSets();
  Random random(seed);
  while (sets.size() < count)
    sets.push_back(someKnobs(random));
  std::vector<AttentionCase> cases;
  for (auto [i, set] : llvm::enumerate(sets))
    cases.push_back(makeCase(set, seed * 1000003 + i, ranges));
  cases.resize(std::min<size_t>(cases.size(), count));
  return cases;
}

std::vector<AttentionCase> attentionCases(unsigned count, uint64_t seed) { return makeCases(count, seed, false); }
std::vector<AttentionCase> attentionRangeCases(unsigned count, uint64_t seed) { return makeCases(count, seed, true); }
std::vector<AttentionCase> forDevices(std::vector<AttentionCase> cases) {
  llvm::erase_if(cases, [](const AttentionCase &one) { return llvm::StringRef(one.operation).contains("rounding"); });
  return cases;
}
std::string randomAttention(uint64_t seed, bool ranges) {
  Random random(seed);
  return makeCase(someKnobs(random), seed, ranges).operation;
}

/// Fills random lines with `value`: at least one line if the tensor has several lines. A line consists of the `length`
/// elements along the last dimension, the elements for all keys.
template <typename T>
static void emptyLines(llvm::MutableArrayRef<T> elements, int64_t length, T value, Random &random) {
  int64_t lines = elements.size() / length;
  int64_t chosen = lines > 1 ? random.below(lines) : random.oneIn(4) ? 0 : -1;
  for (int64_t line = 0; line < lines; ++line)
    if (line == chosen || (lines > 1 && random.oneIn(8)))
      llvm::fill(elements.slice(line * length, length), value);
}

llvm::SmallVector<Tensor> attentionInputs(mlir::func::FuncOp main, uint64_t seed) {
  llvm::SmallVector<Tensor> inputs = *randomInputs(main, seed);
  Random random(seed + 1);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    std::string name = argumentName(main, i);
    int64_t length = input.shape().back();
    if (name == "mask") {
      for (int64_t &element : input.mutableInts())
        element = !random.oneIn(4);
      emptyLines<int64_t>(input.mutableInts(), length, 0, random);
    } else if (name == "bias" && random.oneIn(2)) {
      // The bias becomes an additive mask.
      double removed = random.oneIn(2)   ? -1e9
                       : random.oneIn(2) ? double(std::numeric_limits<float>::lowest())
                                         : -std::numeric_limits<double>::infinity();
      for (double &element : input.mutableFloats())
        if (random.oneIn(4))
          element = removed;
      emptyLines<double>(input.mutableFloats(), length, removed, random);
    } else if (name == "q" && random.oneIn(4)) {
      // One element of a query becomes NaN or infinite.
      input.mutableFloats()[random.below(input.size())] = random.oneIn(2) ? std::numeric_limits<double>::quiet_NaN()
                                                                         : std::numeric_limits<double>::infinity();
    } else if (name == "key_lengths") {
      std::optional<heddle::ElementRange> range = heddle::notes::range.get(main, i);
      for (int64_t &element : input.mutableInts())
        if (random.oneIn(3))
          element = random.oneIn(2) ? 0 : range->high;
    }
  }
  return inputs;
}
