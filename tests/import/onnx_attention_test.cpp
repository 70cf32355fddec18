//===- onnx_attention_test.cpp - the ONNX operator Attention --------------===//
//
// Tests that each form of the operator becomes one heddle.attention with the right attributes, and that invalid nodes
// are refused.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;

/// The numbers of new queries, new keys and past keys, and the numbers of heads.
struct Sizes {
  int64_t queries = 4, keys = 6, past = 0, queryHeads = 2, keyHeads = 2;
};

struct OnnxAttention : OnnxTest {
  /// Returns a model with an Attention whose q, k and v have 4 dimensions. If `sizes.past` is not 0, the model also has
  /// past keys and values. `change` can set attributes of the node, and tests can append further inputs to it.
  static OnnxBuilder model(int64_t opset, const Sizes &sizes, const std::function<void(NodeProto &)> &change = {}) {
    OnnxBuilder b(opset);
    b.input("q", {1, sizes.queryHeads, sizes.queries, 8});
    b.input("k", {1, sizes.keyHeads, sizes.keys, 8});
    b.input("v", {1, sizes.keyHeads, sizes.keys, 8});
    b.output("y");
    NodeProto &node = b.node("Attention", {"q", "k", "v", ""}, {"y", "", "", ""});
    if (sizes.past)
      for (const char *name : {"pk", "pv"}) {
        b.input(name, {1, sizes.keyHeads, sizes.past, 8});
        node.add_input(name);
      }
    if (change)
      change(node);
    return b;
  }
  static std::function<void(NodeProto &)> set(const char *name, int64_t value) {
    return [=](NodeProto &node) { OnnxBuilder::set(node, name, value); };
  }
  /// Returns model(opset, sizes) with an additional mask of the shape `dims` and the element type `type`.
  static OnnxBuilder withMask(int64_t opset, const Dims &dims, int32_t type, const Sizes &sizes = {}) {
    OnnxBuilder b = model(opset, sizes);
    b.input("m", dims, type);
    b.graph().mutable_node(0)->set_input(3, "m");
    return b;
  }
};

TEST_F(OnnxAttention, BecomesOneOperation) {
  std::string text = textOf(model(23, {}));
  EXPECT_HAS(text, "heddle.attention %arg0, %arg1, %arg2");
  EXPECT_HAS(text, "-> tensor<1x2x4x8xf32>");
  for (const char *other : {"linalg", "causal", "mask"})
    EXPECT_EQ(text.find(other), std::string::npos) << text;
  EXPECT_HAS(textOf(model(23, {.queryHeads = 4})), "tensor<1x4x4x8xf32>, tensor<1x2x6x8xf32>");
  EXPECT_HAS(textOf(model(23, {}, [](NodeProto &node) { OnnxBuilder::set(node, "softcap", 2.0f); })), "softcap(2.0");
  EXPECT_HAS(textOf(model(23, {}, set("softmax_precision", TensorProto::DOUBLE))), "softmax_precision(f64)");
  EXPECT_EQ(textOf(model(23, {}, set("softmax_precision", TensorProto::FLOAT16))).find("precision"), std::string::npos);
}

TEST_F(OnnxAttention, InputsOfThreeDimensionsKeepTheirLayout) {
  OnnxBuilder b(23);
  b.input("q", {1, 4, 16});
  b.input("k", {1, 6, 8});
  b.input("v", {1, 6, 8});
  b.output("y");
  NodeProto &node = b.node("Attention", {"q", "k", "v"}, {"y"});
  OnnxBuilder::set(node, "q_num_heads", int64_t(4));
  OnnxBuilder::set(node, "kv_num_heads", int64_t(2));
  std::string text = textOf(b);
  EXPECT_HAS(text, "query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)");
  EXPECT_EQ(text.find("transpose"), std::string::npos) << text;
  node.mutable_attribute(1)->set_i(3);
  EXPECT_HAS(errorOf(b), "kv_num_heads = 3 does not divide the last dimension of [1x6x8] of f32");
  node.mutable_attribute()->RemoveLast();
  EXPECT_HAS(errorOf(b), "kv_num_heads = 0 does not divide");
}

/// With is_causal, a query attends to all past keys and to the new keys up to its own position.
TEST_F(OnnxAttention, CausalMaskBeginsAfterThePast) {
  auto causal = set("is_causal", 1);
  EXPECT_HAS(textOf(model(23, {}, causal)), "causal(upper_left)");
  EXPECT_HAS(textOf(model(23, {.keys = 4}, causal)), "causal(upper_left)");
  EXPECT_HAS(textOf(model(23, {.keys = 4, .past = 3}, causal)), "causal(lower_right)");
  // Query i attends to the keys up to i + 3. No value of `causal` describes this mask, because its diagonal begins at
  // no corner of the mask. The importer therefore creates a constant mask.
  std::string text = textOf(model(23, {.queries = 2, .keys = 3, .past = 3}, causal));
  EXPECT_HAS(text, "dense<[[true, true, true, true, false, false], [true, true, true, true, true, false]]>");
  EXPECT_EQ(text.find("causal"), std::string::npos);
}

TEST_F(OnnxAttention, SizesInRangesGiveTheSameOperation) {
  // Makes dimension 2 of an input dynamic, with this name.
  auto name = [](OnnxBuilder &b, int input, const char *dim) {
    auto &type = *b.graph().mutable_input(input)->mutable_type()->mutable_tensor_type();
    type.mutable_shape()->mutable_dim(2)->set_dim_param(dim);
  };
  OnnxBuilder b = model(23, {.past = 1}, set("is_causal", 1));
  for (int input = 0; input < 5; ++input)
    name(b, input, input < 3 ? "new" : "past");
  options.ranges = {{"new", 1, 8}, {"past", 0, 9}};
  EXPECT_HAS(textOf(b), "causal(lower_right)");
  // The numbers of keys and queries are equal at some sizes, but not at others.
  b = model(23, {}, set("is_causal", 1));
  for (int input = 0; input < 3; ++input)
    name(b, input, input == 0 ? "queries" : "keys");
  options.ranges = {{"queries", 1, 8}, {"keys", 1, 9}};
  EXPECT_HAS(textOf(b), "causal(upper_left)");
}

TEST_F(OnnxAttention, HasWindowsSinceOpset25) {
  auto window = [](NodeProto &node) {
    set("left_window_size", 2)(node);
    set("right_window_size", 1)(node);
  };
  EXPECT_HAS(textOf(model(25, {.keys = 4}, window)), "window(2, 1)");
  EXPECT_HAS(textOf(model(25, {.keys = 4, .past = 1}, window)), "window(2, 1)");
  EXPECT_HAS(textOf(model(25, {.queries = 2, .keys = 3}, set("right_window_size", 0))),
             "dense<[[true, false, false], [true, true, false]]>");
  EXPECT_HAS(errorOf(model(24, {}, window)), "attribute 'left_window_size' is not known for this operator version");
  EXPECT_HAS(errorOf(model(25, {}, set("left_window_size", -2))),
             "expected window sizes of at least -1, found -2 and -1");
}

TEST_F(OnnxAttention, MasksAreBooleanOrAdditive) {
  EXPECT_HAS(textOf(withMask(23, {4, 6}, TensorProto::BOOL)), "mask(%arg3)");
  EXPECT_HAS(textOf(withMask(23, {4, 6}, TensorProto::FLOAT)), "bias(%arg3)");
  EXPECT_HAS(textOf(withMask(23, {4, 1}, TensorProto::FLOAT)), "tensor<4x1xf32>");
  // Since opset 24, a mask may have fewer columns than there are keys; the keys without a column are masked.
  EXPECT_HAS(textOf(withMask(24, {4, 5}, TensorProto::BOOL)), "dense<false> : tensor<4x1xi1>");
  EXPECT_HAS(textOf(withMask(24, {4, 5}, TensorProto::FLOAT)), "dense<0xFF800000> : tensor<4x1xf32>");
  EXPECT_HAS(errorOf(withMask(23, {4, 5}, TensorProto::BOOL)),
             "attn_mask, [4x5] of i1, does not broadcast to [1x2x4x6]");
  EXPECT_HAS(errorOf(withMask(24, {4, 1}, TensorProto::BOOL)),
             "an attn_mask of [4x1] of i1 is not supported, because it is ambiguous: its only column may apply to all "
             "6 keys (by broadcasting) or to the first key only");
  EXPECT_HAS(errorOf(withMask(23, {4, 6}, TensorProto::INT64)), "expected an attn_mask of booleans or floats");
}

TEST_F(OnnxAttention, LengthsOfKeysAreAnOperand) {
  auto lengths = [](int64_t opset, const Dims &dims, const std::function<void(NodeProto &)> &change = {}) {
    OnnxBuilder b = model(opset, {}, change);
    b.input("lengths", dims, TensorProto::INT64);
    NodeProto &node = *b.graph().mutable_node(0);
    while (node.input_size() < 6)
      node.add_input("");
    node.add_input("lengths");
    return b;
  };
  std::string text = textOf(lengths(24, {1}, set("is_causal", 1)));
  EXPECT_HAS(text, "key_lengths(%arg3) causal(lower_right)");
  EXPECT_HAS(text, "heddle.name = \"lengths\", heddle.range = array<i64: 0, 6>");
  EXPECT_HAS(errorOf(lengths(23, {1})), "nonpad_kv_seqlen exists since opset 24");
  EXPECT_HAS(errorOf(lengths(24, {2})), "expected nonpad_kv_seqlen of shape [1] of i64, found [2] of i64");
  EXPECT_HAS(errorOf(lengths(24, {1}, [](NodeProto &node) { node.set_output(1, "pk"); })),
             "nonpad_kv_seqlen is not supported together with past or present keys");
}

/// The mode selects what the output `scores` contains: the scaled products, the products after softcap, after the mask,
/// or the attention probabilities.
TEST_F(OnnxAttention, ScoresAreASecondResult) {
  OnnxBuilder b = withMask(23, {1, 2}, TensorProto::BOOL, {.queries = 1, .keys = 2, .queryHeads = 1, .keyHeads = 1});
  NodeProto &node = *b.graph().mutable_node(0);
  node.set_output(3, "scores");
  b.output("scores");
  OnnxBuilder::set(node, "scale", 0.5f);
  OnnxBuilder::set(node, "softcap", 2.0f);
  OnnxBuilder::set(node, "qk_matmul_output_mode", int64_t(0));
  auto scores = [&](int64_t mode) {
    node.mutable_attribute(2)->set_i(mode);
    std::map<std::string, std::vector<float>> floats{{"q", {1, 0, 0, 0, 0, 0, 0, 0}}, {"k", std::vector<float>(16)}};
    floats["k"][0] = 2, floats["k"][8] = 4;
    return numbers(run(b, {{"m", {1, 0}}}, floats).at("scores"));
  };
  EXPECT_EQ(scores(0), (std::vector<double>{1, 2}));
  EXPECT_EQ(scores(1), (std::vector<double>{0.9242, 1.5232}));
  EXPECT_EQ(scores(2), (std::vector<double>{0.9242, -INFINITY}));
  EXPECT_EQ(scores(3), (std::vector<double>{1, 0}));
  EXPECT_HAS(textOf(b), "with_weights");
  node.mutable_attribute(2)->set_i(4);
  EXPECT_HAS(errorOf(b), "qk_matmul_output_mode is 4, expected 0 to 3");
}

TEST_F(OnnxAttention, RefusesInvalidNodes) {
  EXPECT_HAS(errorOf(model(22, {})), "Attention (opset 22), which exists since opset 23");
  EXPECT_HAS(errorOf(model(23, {.queryHeads = 3})), "do not fit each other: [1x3x4x8], [1x2x6x8] and [1x2x6x8]");
  EXPECT_HAS(errorOf(model(23, {}, set("q_num_heads", 3))),
             "q_num_heads = 3 is not the number of heads of [1x2x4x8] of f32");
  EXPECT_HAS(errorOf(model(23, {.past = 2}, [](NodeProto &node) { node.mutable_input()->RemoveLast(); })),
             "expected both past_key and past_value, or neither");
  EXPECT_HAS(errorOf(model(23, {}, [](NodeProto &node) { OnnxBuilder::set(node, "scale", -1.0f); })), "scale is -1");
  EXPECT_HAS(errorOf(model(23, {}, [](NodeProto &node) { OnnxBuilder::set(node, "softcap", -1.0f); })),
             "softcap is -1");
  EXPECT_HAS(errorOf(model(23, {}, set("softmax_precision", 7))), "softmax_precision 7 is not supported");
  OnnxBuilder b = model(23, {.past = 2});
  auto &past = *b.graph().mutable_input(3)->mutable_type()->mutable_tensor_type()->mutable_shape();
  past.mutable_dim(3)->set_dim_value(7);
  EXPECT_HAS(errorOf(b), "new keys or values of [1x2x6x8] of f32 cannot be appended to a past of [1x2x2x7] of f32");
}

} // namespace
