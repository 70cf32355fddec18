//===- onnx_quantised_test.cpp - operators of quantized models ------------===//
//
// Tests that quantized products become linear layers, and that invalid nodes are refused. onnx_models_test.cpp compares
// the results of quantized models (tests/data/quantised) with those of ONNX Runtime.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;

struct OnnxQuantised : OnnxTest {
  /// Adds an initializer with the elements 0, 1, ..., 99, 0, ...
  static void bytes(OnnxBuilder &b, const std::string &name, const Dims &dims, int32_t type = TensorProto::INT8) {
    onnx::TensorProto &tensor = b.empty(name, dims, type);
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    for (int64_t i = 0; i < count; ++i)
      type == TensorProto::FLOAT ? tensor.add_float_data(i % 100) : tensor.add_int32_data(i % 100);
  }
  /// Returns a model without nodes that imports the operators of ONNX Runtime.
  static OnnxBuilder microsoft() {
    OnnxBuilder b(21);
    auto &domain = *b.model.add_opset_import();
    domain.set_domain("com.microsoft");
    domain.set_version(1);
    b.output("y");
    return b;
  }
  /// Returns a DynamicQuantizeMatMul whose operands are rows of 4 elements and stored integers [4, 3]. `zeros` and
  /// `scales` are the shapes of the zero points and of the scales.
  OnnxBuilder dynamic(const Dims &zeros, const Dims &scales, int32_t zeroType = TensorProto::INT8) {
    OnnxBuilder b = microsoft();
    b.input("x", {2, 4});
    bytes(b, "w", {4, 3});
    bytes(b, "z", zeros, zeroType);
    b.floats("s", scales, std::vector<float>(scales.empty() ? 1 : scales[0], 0.5f));
    b.node("DynamicQuantizeMatMul", {"x", "w", "s", "z"}, {"y"}).set_domain("com.microsoft");
    return b;
  }
  /// Returns a MatMulNBits whose operands are rows of 20 elements and, by default, 4-bit integers in blocks of 16: each
  /// of the 3 columns has two blocks.
  OnnxBuilder nbits(const Dims &weight = {3, 2, 8}, int64_t scales = 6, int64_t bits = 4, int64_t block = 16) {
    OnnxBuilder b = microsoft();
    b.input("x", {2, 20});
    bytes(b, "w", weight, TensorProto::UINT8);
    b.floats("s", {scales}, std::vector<float>(scales, 0.5f));
    auto &node = b.node("MatMulNBits", {"x", "w", "s"}, {"y"});
    node.set_domain("com.microsoft");
    for (auto [name, value] : {std::pair("K", int64_t(20)), std::pair("N", int64_t(3)), std::pair("bits", bits),
                               std::pair("block_size", block)})
      OnnxBuilder::set(node, name, value);
    return b;
  }
  /// Returns a DequantizeLinear of stored integers [4, 3] with scales of this shape. A `block` of 0 means no blocks.
  OnnxBuilder dequantised(const Dims &scales, int64_t axis, int64_t block) {
    OnnxBuilder b(21);
    bytes(b, "w", {4, 3});
    int64_t count = 1;
    for (int64_t dim : scales)
      count *= dim;
    b.floats("s", scales, std::vector<float>(count, 0.5f));
    b.output("y");
    auto &node = b.node("DequantizeLinear", {"w", "s"}, {"y"});
    OnnxBuilder::set(node, "axis", axis);
    if (block)
      OnnxBuilder::set(node, "block_size", block);
    return b;
  }
};

TEST_F(OnnxQuantised, ProductsBecomeLinearLayers) {
  std::string text = textOf(dynamic({3}, {3}));
  EXPECT_HAS(text, "heddle.linear");
  EXPECT_HAS(text, "ui8");
  EXPECT_HAS(text, "per_tensor = true");
  EXPECT_EQ(text.find("linalg"), std::string::npos) << "operations remain that no result needs";
  EXPECT_HAS(textOf(nbits()), "#heddle.nibbles");
}

TEST_F(OnnxQuantised, RefusesWrongShapesOfScalesAndZeroPoints) {
  EXPECT_HAS(errorOf(dynamic({2}, {3})), "zero points of [2] do not fit scales of [3]");
  EXPECT_HAS(errorOf(dynamic({2}, {2})), "scales of [2] do not fit [4x3] along axis 1: expected [3]");
  EXPECT_HAS(errorOf(dynamic({3}, {3}, TensorProto::FLOAT)), "expected integers of 8 (or 4) bits");
  EXPECT_HAS(errorOf(dequantised({2}, 1, 0)), "scales of [2] do not fit [4x3] along axis 1: expected [3]");
  EXPECT_HAS(errorOf(dequantised({3, 3}, 0, 2)), "scales of [3x3] do not fit [4x3] along axis 0: expected [2x3]");
  EXPECT_HAS(errorOf(dequantised({2, 3}, 0, -2)), "expected a block_size of at least 0, found -2");
  EXPECT_HAS(errorOf(dequantised({3}, 2, 0)), "axis 2 is out of range for rank 2");
}

TEST_F(OnnxQuantised, RefusesInvalidMatMulNBits) {
  EXPECT_HAS(errorOf(nbits({3, 2, 9})), "weights of [3x2x9], expected [3x2x8]");
  EXPECT_HAS(errorOf(nbits({3, 2, 8}, 5)), "expected 6 floats");
  EXPECT_HAS(errorOf(nbits({3, 2, 8}, 6, 2)), "weights of 2 bits are not supported, only of 4 and 8");
  EXPECT_HAS(errorOf(nbits({3, 2, 8}, 6, 4, -16)), "a block_size that is a power of 2 from 16 to 65536");
  EXPECT_HAS(errorOf(nbits({3, 2, 8}, 6, 4, 24)), "a block_size that is a power of 2 from 16 to 65536");
}

TEST_F(OnnxQuantised, RefusesInvalidGroupIndicesAndZeroPoints) {
  // Returns the error for a MatMulNBits whose input number `input` is an initializer that `fill` filled.
  auto with = [&](size_t input, const Dims &dims, int32_t type, auto fill) {
    OnnxBuilder b = nbits();
    onnx::TensorProto &tensor = b.empty("more", dims, type);
    fill(tensor);
    onnx::NodeProto &node = *b.graph().mutable_node(0);
    while (size_t(node.input_size()) <= input)
      node.add_input("");
    node.set_input(int(input), "more");
    return errorOf(b);
  };
  auto groups = [&](int64_t count, auto groupOf) {
    return with(4, {count}, TensorProto::INT32, [&](onnx::TensorProto &tensor) {
      for (int64_t i = 0; i < count; ++i)
        tensor.add_int32_data(int32_t(groupOf(i)));
    });
  };
  const char *uneven =
      "expected a g_idx that assigns 16 inputs to each of 2 blocks, except that the last block may have fewer";
  EXPECT_HAS(groups(20, [](int64_t i) { return i / 10; }), uneven);
  EXPECT_HAS(groups(20, [](int64_t) { return 2; }), uneven);
  EXPECT_HAS(groups(20, [](int64_t i) { return i < 16 ? -1 : 0; }), uneven);
  EXPECT_HAS(groups(20, [](int64_t i) { return i ? i / 16 : 1000000000; }), uneven);
  EXPECT_HAS(groups(19, [](int64_t i) { return i / 16; }),
             "expected a g_idx that the model file stores, with 20 integers, found [19] of i32");
  auto zeros = [&](const Dims &dims, int32_t type) {
    return with(3, dims, type, [&](onnx::TensorProto &tensor) {
      for (int64_t i = 0, count = dims[0]; i < count; ++i)
        type == TensorProto::FLOAT ? tensor.add_float_data(1) : tensor.add_int32_data(1);
    });
  };
  EXPECT_HAS(zeros({5}, TensorProto::FLOAT), "zero points of [5] of f32, expected bytes, or 6 numbers of the scales' type");
  EXPECT_HAS(zeros({6}, TensorProto::INT32), "zero points of [6] of i32, expected bytes");
  EXPECT_HAS(zeros({4}, TensorProto::UINT8), "zero points of [4], expected 3 bytes");
}

TEST_F(OnnxQuantised, RefusesInvalidQAttention) {
  // Returns the error for a QAttention.
  auto errorFor = [&](const Dims &weight, const Dims &bias, int64_t heads, const char *rotary) {
    OnnxBuilder b = microsoft();
    b.input("x", {2, 3, 4});
    bytes(b, "w", weight);
    b.floats("s", {}, {0.5f});
    int64_t count = 1;
    for (int64_t dim : bias)
      count *= dim;
    b.floats("b", bias, std::vector<float>(count, 1));
    b.node("DynamicQuantizeLinear", {"x"}, {"q", "qs", "qz"});
    auto &node = b.node("QAttention", {"q", "w", "b", "qs", "s", "", "qz"}, {"y"});
    node.set_domain("com.microsoft");
    OnnxBuilder::set(node, "num_heads", heads);
    if (rotary)
      OnnxBuilder::set(node, rotary, int64_t(1));
    return errorOf(b);
  };
  EXPECT_HAS(errorFor({5, 12}, {12}, 2, nullptr), "do not fit");
  EXPECT_HAS(errorFor({4, 11}, {11}, 1, nullptr),
             "the weights have 11 columns, expected a multiple of 3 for query, key and value");
  EXPECT_HAS(errorFor({4, 12}, {11}, 2, nullptr), "a bias of [11] of f32 does not fit weights of [4x12]");
  EXPECT_HAS(errorFor({4, 12}, {12}, 3, nullptr), "num_heads");
  EXPECT_HAS(errorFor({4, 12}, {12}, 0, nullptr), "num_heads");
  EXPECT_HAS(errorFor({4, 12}, {12}, 2, "do_rotary"), "do_rotary is not supported");
}

TEST_F(OnnxQuantised, RefusesInvalidQGemm) {
  // Returns the error for a QGemm.
  auto errorFor = [&](const Dims &weight, const Dims &c, const Dims &scale, const char *transposed) {
    OnnxBuilder b = microsoft();
    b.input("x", {2, 4});
    bytes(b, "w", weight);
    bytes(b, "wz", {});
    bytes(b, "rz", scale, TensorProto::UINT8);
    b.floats("ws", {}, {0.5f});
    b.floats("rs", scale, std::vector<float>(scale.empty() ? 1 : scale[0], 0.5f));
    onnx::TensorProto &sums = b.empty("c", c, TensorProto::INT32);
    for (int64_t i = 0; i < c[0]; ++i)
      sums.add_int32_data(1);
    b.node("DynamicQuantizeLinear", {"x"}, {"q", "qs", "qz"});
    auto &node = b.node("QGemm", {"q", "qs", "qz", "w", "ws", "wz", "c", "rs", "rz"}, {"r"});
    node.set_domain("com.microsoft");
    if (transposed)
      OnnxBuilder::set(node, transposed, int64_t(1));
    b.node("DequantizeLinear", {"r", "rs", "rz"}, {"y"});
    return errorOf(b);
  };
  EXPECT_HAS(errorFor({4, 3}, {2}, {}, nullptr), "does not fit");
  EXPECT_HAS(errorFor({4, 3}, {3}, {2}, nullptr), "the result has a scale of [2] of f32");
  EXPECT_HAS(errorFor({4, 3}, {3}, {}, "transA"), "transA is not supported");
  EXPECT_HAS(errorFor({4, 3}, {3}, {}, "transB"), "QGemm");
}

/// The importer represents quantized integers by floats. Operators on floats must still reject them.
TEST_F(OnnxQuantised, OperatorsOnFloatsRefuseIntegers) {
  OnnxBuilder b(21);
  bytes(b, "w", {4, 3});
  b.output("y");
  b.node("Relu", {"w"}, {"y"});
  EXPECT_HAS(errorOf(b), "elements of 'si8' are not supported here (input 0)");
  OnnxBuilder moved(21);
  bytes(moved, "w", {4, 3});
  moved.floats("f", {4, 3}, std::vector<float>(12, 1));
  moved.output("y");
  OnnxBuilder::set(moved.node("Concat", {"w", "f"}, {"c"}), "axis", int64_t(0));
  moved.node("Identity", {"f"}, {"y"});
  EXPECT_HAS(errorOf(moved), "operands must have the same element type");
  OnnxBuilder output(21);
  bytes(output, "w", {4, 3});
  output.output("y", TensorProto::INT8);
  output.node("Identity", {"w"}, {"y"});
  EXPECT_HAS(errorOf(output), "output 'y' has element type INT8, which is not supported");
}

TEST_F(OnnxQuantised, RefusesTensorsWithTooFewBytes) {
  OnnxBuilder b(21);
  b.empty("w", {4, 3}, TensorProto::INT8).add_int32_data(1);
  b.output("y");
  b.node("Identity", {"w"}, {"y"});
  EXPECT_HAS(errorOf(b), "1 bytes of data, expected 12");
}

} // namespace
