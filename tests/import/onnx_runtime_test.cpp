//===- onnx_runtime_test.cpp - what is refused of ONNX Runtime's operators ===//
//
// What they compute is judged in tests/exporters.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;

struct OnnxRuntimeOps : OnnxTest {
  /// A node of the domain with inputs x0, x1, .. of these shapes; none is left out.
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
  OnnxBuilder with(OnnxBuilder b, const char *name, int64_t value) {
    OnnxBuilder::set(*b.graph().mutable_node(0), name, value);
    return b;
  }
};

TEST_F(OnnxRuntimeOps, AttentionThatIsRefused) {
  OnnxBuilder plain = with(one("Attention", {Dims{1, 3, 4}, Dims{4, 12}, Dims{12}}), "num_heads", 2);
  EXPECT_HAS(textOf(plain), "heddle.attention");
  EXPECT_HAS(errorOf(with(plain, "do_rotary", 1)), "do_rotary is not supported");
  EXPECT_HAS(errorOf(with(plain, "past_present_share_buffer", 1)), "past_present_share_buffer is not supported");
  EXPECT_HAS(errorOf(with(one("Attention", {Dims{1, 3, 4}, Dims{4, 12}}), "num_heads", 3)),
             "num_heads = 3 does not divide the last dimension");
  EXPECT_HAS(errorOf(with(one("Attention", {Dims{1, 3, 4}, Dims{5, 12}}), "num_heads", 2)), "do not fit");
  OnnxBuilder sizes = plain;
  OnnxBuilder::set(*sizes.graph().mutable_node(0), "qkv_hidden_sizes", Dims{4, 2, 6});
  EXPECT_HAS(errorOf(sizes), "query, key and value of sizes [4x2x6] are not 12 columns");
}

TEST_F(OnnxRuntimeOps, MultiHeadAttentionThatIsRefused) {
  Dims x{2, 3, 4};
  EXPECT_HAS(errorOf(with(one("MultiHeadAttention", {Dims{1, 3, 2, 3, 4}}), "num_heads", 2)),
             "query, key and value that are packed into one tensor are not supported");
  EXPECT_HAS(errorOf(with(one("MultiHeadAttention", {x, x, x, std::nullopt, Dims{8}}), "num_heads", 2)),
             "a mask of [8] of i32 for 2 x 3 queries and 3 keys is not supported");
  EXPECT_HAS(errorOf(with(one("MultiHeadAttention", {x, x, x}, 4), "num_heads", 2)),
             "the scores as an output are not supported");
  OnnxBuilder cross = with(one("MultiHeadAttention", {x, Dims{2, 5, 4}, Dims{2, 5, 4}}), "num_heads", 2);
  EXPECT_HAS(errorOf(with(cross, "unidirectional", 1)), "unidirectional with 3 queries and 5 keys is not supported");
}

TEST_F(OnnxRuntimeOps, GroupQueryAttentionThatIsRefused) {
  Dims q{2, 3, 8}, k{2, 3, 4};
  auto group = [&](std::vector<std::optional<Dims>> inputs) {
    return with(with(one("GroupQueryAttention", inputs), "num_heads", 4), "kv_num_heads", 2);
  };
  OnnxBuilder plain = group({q, k, k, std::nullopt, std::nullopt, Dims{2}});
  EXPECT_HAS(textOf(plain), "heddle.attention");
  EXPECT_HAS(errorOf(with(plain, "smooth_softmax", 1)), "smooth_softmax is not supported");
  EXPECT_HAS(errorOf(with(plain, "do_rotary", 1)), "do_rotary without tables of cosines and sines for 3 positions");
  EXPECT_HAS(errorOf(with(plain, "local_window_size", 0)), "local_window_size 0 is not supported");
  EXPECT_HAS(errorOf(group({q, k, k, Dims{2, 2, 5, 2}, Dims{2, 2, 5, 2}, Dims{2}})),
             "past keys and values are not supported");
  EXPECT_HAS(errorOf(group({q, k, k})), "expected as many keys as queries, and seqlens_k");
}

TEST_F(OnnxRuntimeOps, LayersThatAreRefused) {
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
  node.set_domain("com.microsoft"); // without a version, as the optimizer writes it
  EXPECT_HAS(errorOf(norm), "mean and variance as outputs are not supported");
  node.mutable_output()->RemoveLast();
  norm.graph().mutable_output()->RemoveLast();
  EXPECT_HAS(textOf(norm), "heddle.layer_norm");
  norm.graph().mutable_initializer(0)->set_dims(0, 2);
  norm.graph().mutable_initializer(0)->mutable_float_data()->Truncate(2);
  EXPECT_HAS(errorOf(norm), "expected vectors of 4, found [2] of f32");
}

} // namespace
