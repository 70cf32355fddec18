//===- onnx_linear_attention_test.cpp - the operator LinearAttention ------===//
//
// LinearAttention keeps a state, a matrix S for each head, and updates it for each token; with the rule `linear`, for
// example, S becomes S + k v^T. The rules are tested with heads of one element, so the state is one number.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::NodeProto;

namespace {

using Dims = OnnxBuilder::Dims;
using Doubles = std::vector<double>;
using OnnxLinearAttention = OnnxTest;

/// Returns a model with one LinearAttention. `rule` is its update rule. `inputs` contains the shapes of q, k, v, past,
/// decay and beta; the node omits each input whose shape is empty.
OnnxBuilder model(const char *rule, const std::vector<Dims> &inputs, int64_t queryHeads = 1, int64_t keyHeads = 1) {
  OnnxBuilder b(27);
  b.output("y");
  b.output("state");
  NodeProto &node = b.node("LinearAttention", {}, {"y", "state"});
  const char *names[] = {"q", "k", "v", "past", "decay", "beta"};
  for (size_t i = 0; i < inputs.size(); ++i) {
    node.add_input(inputs[i].empty() ? "" : names[i]);
    if (!inputs[i].empty())
      b.input(names[i], inputs[i]);
  }
  OnnxBuilder::set(node, "update_rule", rule);
  OnnxBuilder::set(node, "q_num_heads", queryHeads);
  OnnxBuilder::set(node, "kv_num_heads", keyHeads);
  return b;
}

TEST_F(OnnxLinearAttention, ComputesEachUpdateRule) {
  Dims two{1, 2, 1}, none;
  std::map<std::string, std::vector<float>> floats{
      {"q", {1, 2}},       {"k", {3, 4}}, {"v", {5, 6}}, {"past", {10}}, {"decay", {0, std::log(0.5f)}},
      {"beta", {0.5, 0.1}}};
  // Returns y for the two tokens, and the last state.
  auto both = [&](const OnnxBuilder &b) {
    auto results = run(b, {}, floats);
    Doubles values = numbers(results.at("y"));
    values.push_back(numbers(results.at("state")).front());
    return values;
  };
  EXPECT_EQ(both(model("linear", {two, two, two})), (Doubles{15, 78, 39}));
  EXPECT_EQ(both(model("linear", {two, two, two, {1, 1, 1, 1}})), (Doubles{25, 98, 49}));
  EXPECT_EQ(both(model("gated", {two, two, two, none, two})), (Doubles{15, 63, 31.5}));
  // With keys 3, 4, values 5, 6 and rates 0.5, 0.1, the state is 0 + 3 * 0.5 * 5 = 7.5, then 7.5 + 4 * 0.1 * (6 - 4 *
  // 7.5) = -2.1.
  EXPECT_EQ(both(model("delta", {two, two, two, none, none, two})), (Doubles{7.5, -4.2, -2.1}));
  // The second token halves the state first: 3.75 + 4 * 0.1 * (6 - 4 * 3.75) = 0.15.
  EXPECT_EQ(both(model("gated_delta", {two, two, two, none, two, two})), (Doubles{7.5, 0.3, 0.15}));
  OnnxBuilder scaled = model("linear", {two, two, two});
  OnnxBuilder::set(*scaled.graph().mutable_node(0), "scale", 2.0f);
  EXPECT_EQ(both(scaled), (Doubles{30, 156, 39}));
}

TEST_F(OnnxLinearAttention, QueryHeadsMayShareKeyHeads) {
  OnnxBuilder b = model("linear", {{1, 1, 4}, {1, 1, 2}, {1, 1, 2}}, 4, 2);
  auto results = run(b, {}, {{"q", {1, 2, 3, 4}}, {"k", {1, 10}}, {"v", {1, 1}}});
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, 2, 30, 40}));
}

TEST_F(OnnxLinearAttention, BecomesOneOperationForAnyLength) {
  Dims many{1, 1000, 1};
  OnnxBuilder b = model("linear", {many, many, many});
  EXPECT_HAS(textOf(b), "heddle.recurrent_attention");
  auto results = run(b, {}, {{"q", std::vector<float>(1000, 1)}, {"k", std::vector<float>(1000, 1)},
                             {"v", std::vector<float>(1000, 2)}});
  EXPECT_EQ(numbers(results.at("y"))[998], 1998);
  EXPECT_EQ(numbers(results.at("state")), (Doubles{2000}));
}

TEST_F(OnnxLinearAttention, RefusesInvalidNodes) {
  Dims two{1, 2, 1}, none;
  EXPECT_HAS(errorOf(model("other", {two, two, two})), "update_rule is 'other', expected linear, gated, delta or");
  OnnxBuilder windows = model("linear", {two, two, two});
  OnnxBuilder::set(*windows.graph().mutable_node(0), "state_window", int64_t(2));
  EXPECT_HAS(errorOf(windows), "state_window is not supported");
  EXPECT_HAS(errorOf(model("gated", {two, two, two})), "expected the input 'decay' with this update_rule");
  EXPECT_HAS(errorOf(model("linear", {two, two, two, none, none, two})),
             "expected no input 'beta' with this update_rule");
  EXPECT_HAS(errorOf(model("gated", {two, two, two, none, {1, 2, 3}})), "input 'decay' of [1x2x3] of f32 does not fit");
  EXPECT_HAS(errorOf(model("linear", {two, two, two, {1, 1, 1, 2}})),
             "expected past_state of shape [1x1x1x1], found [1x1x1x2] of f32");
  EXPECT_HAS(errorOf(model("linear", {two, two, two}, 3, 2)), "a multiple of kv_num_heads, found 3 and 2");
  EXPECT_HAS(errorOf(model("linear", {two, {1, 3, 1}, two})), "do not fit");
}

} // namespace
