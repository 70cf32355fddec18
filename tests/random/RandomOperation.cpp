//===- RandomOperation.cpp - quoted operations at random ------------------===//

#include "RandomOperation.h"

#include "../e2e/AttentionCases.h"
#include "Random.h"

namespace {

/// The words of one operation.
class Words {
public:
  explicit Words(Random &random) : random(random) {}

  void add(const std::string &name, const std::string &value) { text += " " + name + "=" + value; }
  int64_t number() {
    if (random.oneIn(25))
      return random.pick({193, 257, 400, 513});
    return random.pick({1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 39, 48, 64, 65, 70, 96, 100, 135});
  }
  void size(const std::string &name) { add(name, std::to_string(number())); }
  /// A size, or a range of some.
  void sizes(const std::string &name) {
    if (!random.oneIn(4))
      return size(name);
    add(name, random.pick<const char *>({"1..40", "2..17", "1..3", "60..130", "15..16", "1..135"}));
  }
  /// A knob that is on or off, or one of these values, or left out.
  void maybe(const std::string &name, std::initializer_list<const char *> values) {
    if (random.oneIn(2))
      add(name, random.pick(values));
  }

  Random &random;
  std::string text;
};

void linear(Words &words) {
  words.sizes("m");
  words.size("n");
  words.size("k");
  words.maybe("activation", {"none", "relu", "gelu", "gelu_tanh", "silu", "tanh"});
  words.maybe("bias", {"1"});
  words.maybe("residual", {"1"});
  words.maybe("weights", {"constant"});
}

void ffn(Words &words) {
  words.sizes("m");
  words.size("k");
  words.size("hidden");
  words.maybe("n", {"1", "17", "39", "64"});
  words.maybe("activation", {"none", "relu", "gelu", "gelu_tanh", "silu", "tanh"});
  words.maybe("gated", {"1"});
  words.maybe("bias", {"1"});
  words.maybe("residual", {"1"});
  words.maybe("weights", {"constant"});
}

void norm(Words &words) {
  words.sizes("rows");
  words.size("d");
  words.maybe("scale", {"0", "1"});
  words.maybe("residual", {"1"});
  words.maybe("epsilon", {"1e-12", "1e-3", "0.5"});
}

void layerNorm(Words &words) {
  norm(words);
  words.maybe("bias", {"0", "1"});
}

void softmax(Words &words) {
  words.sizes("rows");
  words.size("d");
  words.maybe("axis", {"0", "1"});
}

void linearAttention(Words &words) {
  words.maybe("b", {"2", "1..3"});
  words.maybe("h", {"2", "3"});
  words.sizes("sq");
  words.sizes("skv");
  words.size("d");
  words.maybe("dv", {"1", "16", "33"});
  words.maybe("scale", {"0.3"});
  // Of features of either sign a sum may be next to nothing, and a quotient by it anything.
  if (words.random.oneIn(2))
    words.add("feature_map", "identity");
  else
    words.maybe("normalized", {"1"});
}

void recurrentAttention(Words &words) {
  words.maybe("b", {"2", "1..3"});
  auto [hq, hkv] = words.random.pick<std::pair<const char *, const char *>>({{"1", "1"}, {"3", "3"}, {"4", "2"}, {"6", "1"}});
  words.add("hq", hq);
  words.add("hkv", hkv);
  words.sizes("s");
  words.size("d");
  words.maybe("dv", {"1", "16", "33"});
  words.maybe("decay", {"none", "head", "row"});
  words.maybe("delta", {"0"});
  words.maybe("state", {"0"});
  words.maybe("scale", {"0.3"});
}

void rotaryEmbedding(Words &words) {
  words.maybe("b", {"2", "1..3"});
  words.maybe("h", {"2", "3"});
  words.sizes("s");
  words.add("d", words.random.pick<const char *>({"16", "34", "64", "66", "128"}));
  words.maybe("r", {"2", "6", "16"});
  words.maybe("interleaved", {"1"});
  words.maybe("layout", {"bshd"});
}

struct Operation {
  const char *name;
  void (*write)(Words &);
};

} // namespace

static const Operation operations[] = {
    {"linear", linear},     {"ffn", ffn},         {"layer_norm", layerNorm},
    {"rms_norm", norm},     {"softmax", softmax}, {"linear_attention", linearAttention},
    {"recurrent_attention", recurrentAttention}, {"rotary_embedding", rotaryEmbedding},
};

std::string randomOperation(uint64_t seed) {
  Random random(seed);
  Words words(random);
  if (random.oneIn(3)) {
    words.text = randomAttention(seed, random.oneIn(4));
  } else {
    const Operation &operation = operations[random.below(std::size(operations))];
    words.text = operation.name;
    operation.write(words);
  }
  if (random.oneIn(3))
    words.add("type", random.pick<const char *>({"f16", "bf16", "f64"}));
  return words.text;
}
