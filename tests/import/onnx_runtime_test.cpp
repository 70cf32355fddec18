//===- onnx_runtime_test.cpp - errors of ONNX Runtime's operators ---------===//
//
// Tests that invalid nodes of the domain com.microsoft are refused. The tests in tests/exporters compare the results of
// valid nodes with those of ONNX Runtime.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;

struct OnnxRuntimeOps : OnnxTest {
  /// Returns a model with one node of the domain com.microsoft. Its inputs x0, x1, ... have these shapes; the node
  /// omits each input that has no shape.
  OnnxBuilder one(const std::string &op, const std::vector<std::optional<Dims>> &shapes, int outputs = 1) {
    OnnxBuilder b(17);
    auto &domain = *b.model.add_opset_import();
    domain.set_domain("com.microsoft");
    domain.set_version(1);
    OnnxBuilder::Names inputs, results;
    for (const auto &[i, shape] : llvm::enumerate(shapes)) {
      inputs.push_back(shape ? "x" + std::to_string(i) : "");
      if (shape)
        b.input(inputs.back(), *shape, shape->size() == 1 && op != "Attention" ? TensorProto::INT32 : TensorProto::FLOAT);
    }
    for (int i = 0; i < outputs; ++i)
      b.output(results.emplace_back("y" + std::to_string(i)));
    b.node(op, inputs, results).set_domain("com.microsoft");
    return b;
  }
  /// Returns the model with an integer attribute added to its node.
  OnnxBuilder with(OnnxBuilder b, const char *name, int64_t value) {
    OnnxBuilder::set(*b.graph().mutable_node(0), name, value);
    return b;
  }
};

TEST_F(OnnxRuntimeOps, RefusesInvalidAttention) {
  OnnxBuilder plain = with(one("Attention", {Dims{1, 3, 4}, Dims{4, 12}, Dims{12}}), "num_heads", 2);
  EXPECT_HAS(textOf(plain), "heddle.attention");
  EXPECT_HAS(errorOf(with(plain, "do_rotary", 1)), "do_rotary is not supported");
  EXPECT_HAS(errorOf(with(plain, "past_present_share_buffer", 1)), "past_present_share_buffer is not supported");
  EXPECT_HAS(errorOf(with(one("Attention", {Dims{1, 3, 4}, Dims{4, 12}}), "num_heads", 3)),
             "num_heads = 3 does not divide the last dimension");
  EXPECT_HAS(errorOf(with(one("Attention", {Dims{1, 3, 4}, Dims{5, 12}}), "num_heads", 2)), "do not fit");
  OnnxBuilder sizes = plain;
  OnnxBuilder::set(*sizes.graph().mutable_node(0), "qkv_hidden_sizes", Dims{4, 2, 6});
  EXPECT_HAS(errorOf(sizes), "a sum of 12, the number of columns of the weights, found [4x2x6]");
}

TEST_F(OnnxRuntimeOps, RefusesInvalidMultiHeadAttention) {
  Dims x{2, 3, 4};
  EXPECT_HAS(errorOf(with(one("MultiHeadAttention", {Dims{1, 3, 2, 2, 4}}), "num_heads", 2)),
             "expected [batch, positions, num_heads, 3, size], found [1x3x2x2x4] of f32");
  OnnxBuilder biased = one("MultiHeadAttention", {Dims{1, 3, 2, 3, 4}, std::nullopt, std::nullopt, Dims{24}});
  EXPECT_HAS(errorOf(with(biased, "num_heads", 2)),
             "a bias is not supported if one tensor contains query, key and value, or key and value");
  EXPECT_HAS(errorOf(with(one("MultiHeadAttention", {x, Dims{2, 3, 4}}), "num_heads", 2)),
             "expected query, key and value, or several in one tensor of 5 dimensions, found [2x3x4] of f32 and");
  EXPECT_HAS(errorOf(with(one("MultiHeadAttention", {x, x, x, std::nullopt, Dims{8}}), "num_heads", 2)),
             "a mask of [8] of i32 for 2 x 3 queries and 3 keys is not supported");
  EXPECT_HAS(errorOf(with(one("MultiHeadAttention", {x, x, x}, 4), "num_heads", 2)),
             "the scores as an output are not supported");
  OnnxBuilder cross = with(one("MultiHeadAttention", {x, Dims{2, 5, 4}, Dims{2, 5, 4}}), "num_heads", 2);
  EXPECT_HAS(errorOf(with(cross, "unidirectional", 1)), "unidirectional with 3 queries and 5 keys is not supported");
}

TEST_F(OnnxRuntimeOps, RefusesInvalidGroupQueryAttention) {
  Dims q{2, 3, 8}, k{2, 3, 4}, past{2, 2, 5, 2}, two{2}, total{1};
  std::optional<Dims> none;
  auto group = [&](std::vector<std::optional<Dims>> inputs) {
    return with(with(one("GroupQueryAttention", inputs), "num_heads", 4), "kv_num_heads", 2);
  };
  // Makes the last input, total_sequence_length, a constant.
  auto known = [](OnnxBuilder b, int64_t number) {
    b.graph().mutable_input()->RemoveLast();
    b.ints("x6", {1}, {number});
    return b;
  };
  OnnxBuilder prompt = group({q, k, k, none, none, two, total}), later = group({q, k, k, past, past, two, total});
  EXPECT_HAS(textOf(prompt), "heddle.attention");
  EXPECT_HAS(errorOf(with(prompt, "do_rotary", 1)), "do_rotary requires tables of cosines and sines for 3 positions");
  EXPECT_HAS(errorOf(with(later, "do_rotary", 1)), "do_rotary requires tables of cosines and sines for 5 positions");
  EXPECT_HAS(errorOf(with(prompt, "local_window_size", 0)), "local_window_size 0 is not supported");
  EXPECT_HAS(errorOf(group({q, k, k})), "expected seqlens_k and total_sequence_length");
  EXPECT_HAS(errorOf(group({q, k, k, none, none, Dims{3}, total})),
             "expected seqlens_k of integers with the shape [2], found [3] of i32");
  EXPECT_HAS(errorOf(group({q, k, k, past, none, two, total})), "expected both past_key and past_value, or neither");
  EXPECT_HAS(errorOf(group({q, k, k, past, Dims{2, 2, 4, 2}, two, total})), "a past of [2x2x4x2] of f32 does not fit");
  OnnxBuilder halfEmpty = later;
  halfEmpty.graph().mutable_input()->DeleteSubrange(3, 1);
  halfEmpty.floats("x3", {2, 2, 0, 2}, {});
  EXPECT_HAS(errorOf(halfEmpty), "a past of [2x2x5x2] of f32 does not fit");
  EXPECT_HAS(errorOf(known(prompt, 4)), "total_sequence_length is 4, which does not fit 3 new keys and a past of 0");
  EXPECT_HAS(errorOf(group({q, k, k, Dims{2, 2, 1, 2}, Dims{2, 2, 1, 2}, two, total})),
             "total_sequence_length must be known at import if a past of 1 has no room for 3 new keys");
  // The ranges of seqlens_k and total_sequence_length ensure that the keys, including the new ones, fit into the buffer
  // of 5 positions.
  EXPECT_HAS(textOf(later), "heddle.range = array<i64: 0, 4>");
  EXPECT_HAS(textOf(later), "heddle.range = array<i64: 3, 5>");
  EXPECT_HAS(textOf(known(later, 5)), "heddle.range = array<i64: 2, 4>");
}

/// If position_ids has only one element, this element is the position of the first token of every sequence. Its range
/// ensures that the positions of all tokens are in the table.
TEST_F(OnnxRuntimeOps, RotaryEmbeddingMayHaveOnlyTheFirstPosition) {
  Dims table{10, 4};
  EXPECT_HAS(textOf(one("RotaryEmbedding", {Dims{2, 3, 8}, Dims{1}, table, table})), "heddle.range = array<i64: 0, 7>");
  EXPECT_HAS(errorOf(one("RotaryEmbedding", {Dims{2, 11, 8}, Dims{1}, table, table})),
             "tables of 10 positions do not fit 11");
}

TEST_F(OnnxRuntimeOps, RefusesOtherInvalidLayers) {
  Dims x{2, 3, 4};
  EXPECT_HAS(errorOf(with(one("FusedMatMul", {Dims{2, 2}, Dims{2, 2}}), "transBatchA", 1)),
             "transBatchA is not supported");
  EXPECT_HAS(errorOf(one("EmbedLayerNormalization", {Dims{2, 3}})), "expected ids of two dimensions, tables of words");
  OnnxBuilder norm(17);
  norm.input("x", x);
  norm.input("skip", Dims{2, 3, 4});
  norm.floats("gamma", {4}, {1, 1, 1, 1});
  norm.output("y");
  norm.output("mean");
  NodeProto &node = norm.node("SkipLayerNormalization", {"x", "skip", "gamma"}, {"y", "mean"});
  // As in models of ONNX Runtime's optimizer, the model imports no version of this domain.
  node.set_domain("com.microsoft");
  EXPECT_HAS(errorOf(norm), "outputs 1 and 2, mean and inverse standard deviation, are not supported");
  node.mutable_output()->RemoveLast();
  norm.graph().mutable_output()->RemoveLast();
  EXPECT_HAS(textOf(norm), "heddle.layer_norm");
  norm.graph().mutable_initializer(0)->set_dims(0, 1); // [1, 4] represents the same vector as [4]
  norm.graph().mutable_initializer(0)->add_dims(4);
  EXPECT_HAS(textOf(norm), "heddle.layer_norm");
  norm.graph().mutable_initializer(0)->mutable_dims()->RemoveLast();
  norm.graph().mutable_initializer(0)->set_dims(0, 2);
  norm.graph().mutable_initializer(0)->mutable_float_data()->Truncate(2);
  EXPECT_HAS(errorOf(norm), "must be a vector of 4 elements, found [2] of f32");
}

} // namespace
