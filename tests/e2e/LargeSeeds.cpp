//===- LargeSeeds.cpp - models too large for the repository ---------------===//

#include "LargeSeeds.h"

#include "../import/OnnxBuilder.h"

#include "heddle/Recognise.h"

#include <random>

using namespace heddle;

namespace {

/// An OnnxBuilder whose methods add nodes and initializers, and return the name of the last value.
struct SeedModel : OnnxBuilder {
  std::mt19937 random{11};

  std::string op(const std::string &kind, const Names &inputs, const std::string &name) {
    node(kind, inputs, {name});
    return name;
  }
  std::string number(const std::string &name, float value) {
    floats(name, {}, {value});
    return name;
  }
  /// Adds random weights between -1/sqrt(rows) and 1/sqrt(rows), like torch's initial weights of a linear layer.
  std::string weights(const std::string &name, const Dims &dims, int64_t rows) {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    std::vector<float> values(count);
    for (float &value : values)
      value = (2.0f * (random() % 65536) / 65536 - 1) / std::sqrt(float(rows));
    empty(name, dims, onnx::TensorProto::FLOAT).set_raw_data(values.data(), values.size() * sizeof(float));
    return name;
  }
  /// Adds a linear layer with random weights [rows, columns] and a random bias.
  std::string linear(const std::string &input, const std::string &name, int64_t rows, int64_t columns) {
    op("MatMul", {input, weights(name + ".weight", {rows, columns}, rows)}, name + ".product");
    return op("Add", {weights(name + ".bias", {columns}, rows), name + ".product"}, name);
  }
  std::string transpose(const std::string &input, const Dims &permutation) {
    set(node("Transpose", {input}, {input + ".t"}), "perm", permutation);
    return input + ".t";
  }
  std::string reshape(const std::string &input, const Dims &shape) {
    ints(input + ".shape", {int64_t(shape.size())}, shape);
    return op("Reshape", {input, input + ".shape"}, input + ".r");
  }
  std::string softmax(const std::string &input, const std::string &name) {
    set(node("Softmax", {input}, {name}), "axis", int64_t(-1));
    return name;
  }
};

/// Self-attention with 8 heads over 512 features, with projections. The scale is 1 / 64^0.5, computed by the model.
SeedModel multiHead() {
  SeedModel m;
  m.input("in0", {4, 10, 512});
  auto heads = [&](const std::string &name) { return m.reshape(m.linear("in0", name, 512, 512), {4, 10, 8, -1}); };
  std::string q = m.transpose(heads("q"), {0, 2, 1, 3}), k = m.transpose(heads("k"), {0, 2, 3, 1});
  std::string v = m.transpose(heads("v"), {0, 2, 1, 3});
  m.op("MatMul", {q, k}, "scores");
  m.op("Pow", {m.number("size", 64), m.number("half", 0.5)}, "divisor");
  m.softmax(m.op("Div", {"scores", "divisor"}, "scaled"), "weights");
  m.op("MatMul", {"weights", v}, "heads");
  std::string merged = m.reshape(m.transpose("heads", {0, 2, 1, 3}), {4, 10, 512});
  m.op("Identity", {m.linear(merged, "o", 512, 512)}, "out0");
  m.output("out0");
  return m;
}

/// Attention with 4 heads and separate inputs for queries, keys and values. Keys at which "in3" is 0 are masked.
SeedModel crossAttention() {
  SeedModel m;
  for (std::string name : {"in0", "in1", "in2"})
    m.input(name, {5, 135, 512});
  m.input("in3", {5, 1, 135});
  auto heads = [&](const std::string &input, const std::string &name) {
    return m.reshape(m.linear(input, name, 512, 512), {5, 135, 4, -1});
  };
  std::string k = m.transpose(heads("in1", "k"), {0, 2, 3, 1}), q = m.transpose(heads("in0", "q"), {0, 2, 1, 3});
  std::string v = m.transpose(heads("in2", "v"), {0, 2, 1, 3});
  m.op("MatMul", {q, k}, "scores");
  m.op("Div", {"scores", m.number("divisor", std::sqrt(128.0f))}, "scaled");
  m.ints("axis", {1}, {1});
  m.op("Unsqueeze", {"in3", "axis"}, "rows");
  m.op("Equal", {"rows", m.number("zero", 0)}, "masked");
  m.softmax(m.op("Where", {"masked", m.number("low", -1e9), "scaled"}, "filled"), "weights");
  m.op("MatMul", {"weights", v}, "heads");
  std::string merged = m.reshape(m.transpose("heads", {0, 2, 1, 3}), {5, 135, 512});
  m.op("Identity", {m.linear(merged, "o", 512, 512)}, "out0");
  m.output("out0");
  return m;
}

/// Scores are multiplied by the values without a softmax, so the model contains no attention. The softmax of the scores
/// is another output.
SeedModel rawScores() {
  SeedModel m;
  for (std::string name : {"in0", "in1", "in2"})
    m.input(name, {5, 3, 135, 39});
  m.op("MatMul", {"in0", m.transpose("in1", {0, 1, 3, 2})}, "out0");
  m.softmax("out0", "out1");
  m.op("MatMul", {"out0", "in2"}, "out2");
  for (std::string name : {"out0", "out1", "out2"})
    m.output(name);
  return m;
}

struct Seed {
  const char *name;
  SeedModel (*build)();
  unsigned attentions, linears; // the expected numbers of recognised layers
};
constexpr Seed seeds[] = {{"MultiHead", multiHead, 1, 4},
                          {"CrossAttentionWithPadding", crossAttention, 1, 4},
                          {"ScoresWithoutSoftmaxAreNoAttention", rawScores, 0, 0}};

} // namespace

std::string LargeSeeds::nameOf(const testing::TestParamInfo<unsigned> &info) { return seeds[info.param].name; }

void LargeSeeds::checkSeed() {
  const Seed &seed = seeds[GetParam()];
  std::string path = dir.write("model.onnx", seed.build().model.SerializeAsString());
  auto model = importModel(context, path);
  ASSERT_TRUE(succeeded(model));
  RecognitionReport report;
  recognise(*model->module, &report);
  EXPECT_EQ(report.recognised.lookup("attention"), seed.attentions);
  EXPECT_EQ(report.recognised.lookup("linear"), seed.linears);
  check(path, [&](mlir::func::FuncOp main) {
    auto inputs = *randomInputs(main, 3);
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (argumentName(main, i) == "in3") // a mask: the last third of the keys is padding
        for (auto [k, value] : llvm::enumerate(inputs[i].mutableFloats()))
          value = k % 135 < 90;
    return inputs;
  });
}
