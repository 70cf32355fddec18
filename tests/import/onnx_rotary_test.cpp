//===- onnx_rotary_test.cpp - RotaryEmbedding and SwiGLU ------------------===//
//
// Tests the operations that the importer creates for these operators, some results, and the errors for invalid nodes.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;
using Doubles = std::vector<double>;
using OnnxRotary = OnnxTest;

/// Returns a model with a RotaryEmbedding of x, whose shape is `dims`. The cosines and sines have the shape `angles`.
/// If `ids` is empty, cosines and sines contain one row for each position of x. Otherwise they are tables, and the
/// model has an input of the shape `ids`, which contains the indices of rows.
OnnxBuilder rotary(const Dims &dims, const Dims &angles, const Dims &ids = {}) {
  OnnxBuilder b(23);
  b.input("x", dims);
  b.input("cos", angles);
  b.input("sin", angles);
  b.output("y");
  NodeProto &node = b.node("RotaryEmbedding", {"x", "cos", "sin"}, {"y"});
  if (!ids.empty()) {
    b.input("ids", ids, TensorProto::INT64);
    node.add_input("ids");
  }
  return b;
}

/// Returns the model with an integer attribute added to its node.
OnnxBuilder with(OnnxBuilder b, const char *name, int64_t value) {
  OnnxBuilder::set(*b.graph().mutable_node(0), name, value);
  return b;
}

TEST_F(OnnxRotary, BecomesOneOperation) {
  EXPECT_HAS(textOf(rotary({1, 2, 3, 8}, {1, 3, 4})), "heddle.rotary_embedding %arg0, %arg1, %arg2 :");
  EXPECT_HAS(textOf(with(rotary({1, 2, 3, 8}, {1, 3, 4}), "interleaved", 1)), "interleaved");
  // If x has three dimensions, the positions precede the heads.
  EXPECT_HAS(textOf(with(rotary({1, 3, 16}, {1, 3, 4}), "num_heads", 2)), "layout(bshd) : (tensor<1x3x2x8xf32>");
}

TEST_F(OnnxRotary, PositionIdsSelectRowsOfTables) {
  OnnxBuilder b = with(rotary({1, 1, 2, 4}, {3, 1}, {1, 2}), "rotary_embedding_dim", 2);
  EXPECT_HAS(textOf(b), "heddle.range = array<i64: -3, 2>");
  auto result = run(b, {{"ids", {2, 0}}}, {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"cos", {1, 5, 0}}, {"sin", {0, 5, 1}}});
  EXPECT_EQ(numbers(result.at("y")), (Doubles{-2, 1, 3, 4, 5, 6, 7, 8}));
}

TEST_F(OnnxRotary, RefusesInvalidRotaryEmbeddings) {
  EXPECT_HAS(errorOf(rotary({1, 2, 3, 8}, {1, 3, 3})), "expected cosines and sines of shape [1x3x4], found [1x3x3] of f32");
  EXPECT_HAS(errorOf(rotary({1, 2, 3, 8}, {9, 3}, {1, 3})),
             "expected cosines and sines with rows of length 4, found [9x3] of f32");
  EXPECT_HAS(errorOf(rotary({1, 2, 3, 8}, {9, 4}, {1, 2})), "expected position_ids of shape [1x3], found [1x2] of i64");
  EXPECT_HAS(errorOf(rotary({1, 3, 16}, {1, 3, 4})), "num_heads = 0 does not divide the last dimension");
  EXPECT_HAS(errorOf(with(rotary({1, 2, 3, 8}, {1, 3, 4}), "num_heads", 3)),
             "num_heads = 3 is not the number of heads of");
  EXPECT_HAS(errorOf(with(rotary({1, 2, 3, 8}, {1, 3, 4}), "rotary_embedding_dim", 10)),
             "cannot rotate 10 elements of a head of 8");
  EXPECT_HAS(errorOf(rotary({1, 2, 3, 7}, {1, 3, 4})), "cannot rotate 7 elements of a head of 7");
  EXPECT_HAS(errorOf(rotary({3, 8}, {1, 3, 4})), "expected 3 or 4 dimensions, found [3x8] of f32");
}

TEST_F(OnnxRotary, ComputesSwiGlu) {
  OnnxBuilder b(28);
  b.input("gate", {2});
  b.input("value", {2});
  b.output("y");
  NodeProto &node = b.node("SwiGLU", {"gate", "value"}, {"y"});
  EXPECT_EQ(numbers(run(b, {}, {{"gate", {1, -2}}, {"value", {3, 1}}}).at("y")), (Doubles{2.1932, -0.2384}));
  OnnxBuilder::set(node, "alpha", 0.0f);
  EXPECT_EQ(numbers(run(b, {}, {{"gate", {1, -2}}, {"value", {3, 1}}}).at("y")), (Doubles{1.5, -1}));
  b.input("other", {1});
  node.set_input(1, "other");
  EXPECT_HAS(errorOf(b), "expected operands of the same shape, found [2] of f32 and [1] of f32");
}

} // namespace
