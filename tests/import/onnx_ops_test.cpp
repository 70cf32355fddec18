//===- onnx_ops_test.cpp - standard operators in several opsets -----------===//
//
// Imports models of one node and compares the interpreter's results with the definition of the operator in its opset.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

#include <numeric>

using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;
using Doubles = std::vector<double>;
constexpr double infinity = INFINITY;

struct OnnxOps : OnnxTest {
  /// Returns a model with one node. The inputs of the node are x, which has the shape `dims` and the elements 1, 2,
  /// ..., and integer initializers c0, c1, ...
  OnnxBuilder one(int64_t opset, const std::string &op, const Dims &dims, const std::vector<Dims> &constants = {},
                  const std::function<void(NodeProto &)> &change = {}) {
    OnnxBuilder b(opset);
    b.input("x", dims);
    b.output("y");
    OnnxBuilder::Names inputs{"x"};
    for (size_t i = 0; i < constants.size(); ++i) {
      inputs.push_back("c" + std::to_string(i));
      b.ints(inputs.back(), {static_cast<int64_t>(constants[i].size())}, constants[i]);
    }
    NodeProto &node = b.node(op, inputs, {"y"});
    if (change)
      change(node);
    return b;
  }
  /// Returns the elements of y; empty after an error. An empty `x` means the elements 1, 2, ...
  Doubles result(const OnnxBuilder &b, const std::vector<float> &x = {}) {
    auto results = x.empty() ? run(b) : run(b, {}, {{"x", x}});
    return results.count("y") ? numbers(results.at("y")) : Doubles{};
  }
  /// Returns the shape of y; [-1] after an error.
  Dims shape(const OnnxBuilder &b) {
    auto results = run(b);
    return results.count("y") ? Dims(results.at("y").shape().begin(), results.at("y").shape().end()) : Dims{-1};
  }
};

// The next two functions return a `change` for OnnxOps::one, which sets an attribute.
auto axis(int64_t value) {
  return [=](NodeProto &node) { OnnxBuilder::set(node, "axis", value); };
}
auto list(const char *name, const Dims &values) {
  return [=](NodeProto &node) { OnnxBuilder::set(node, name, values); };
}

TEST_F(OnnxOps, SoftmaxBeforeOpset13NormalizesAllDimensionsFromTheAxisOn) {
  std::vector<float> x(8, 0);
  EXPECT_EQ(result(one(11, "Softmax", {2, 2, 2}), x), Doubles(8, 0.25));
  EXPECT_EQ(result(one(13, "Softmax", {2, 2, 2}), x), Doubles(8, 0.5));
  EXPECT_EQ(result(one(11, "Softmax", {2, 2, 2}, {}, axis(2)), x), Doubles(8, 0.5));
  EXPECT_EQ(result(one(11, "Softmax", {2, 2, 2}, {}, axis(0)), x), Doubles(8, 0.125));
  EXPECT_EQ(result(one(13, "LogSoftmax", {1, 2}), {0, 0}), Doubles(2, -0.6931));
}

TEST_F(OnnxOps, AxesAreAttributesInOlderOpsetsAndInputsInNewerOnes) {
  EXPECT_EQ(shape(one(11, "Squeeze", {1, 2, 1}, {}, list("axes", {0}))), (Dims{2, 1}));
  EXPECT_EQ(shape(one(13, "Squeeze", {1, 2, 1}, {{-1}})), (Dims{1, 2}));
  EXPECT_EQ(shape(one(13, "Squeeze", {1, 2, 1})), (Dims{2}));
  EXPECT_EQ(shape(one(11, "Unsqueeze", {2}, {}, list("axes", {2, 0}))), (Dims{1, 2, 1}));
  EXPECT_EQ(shape(one(13, "Unsqueeze", {2}, {{-1, 0}})), (Dims{1, 2, 1}));
  EXPECT_EQ(result(one(11, "ReduceSum", {2, 2}, {}, list("axes", {0}))), (Doubles{4, 6}));
  EXPECT_EQ(result(one(13, "ReduceSum", {2, 2}, {{1}})), (Doubles{3, 7}));
  EXPECT_EQ(result(one(17, "ReduceMean", {2, 2}, {}, list("axes", {-1}))), (Doubles{1.5, 3.5}));
  EXPECT_EQ(result(one(18, "ReduceMean", {2, 2}, {{-1}})), (Doubles{1.5, 3.5}));
  EXPECT_EQ(shape(one(18, "ReduceMean", {2, 2})), (Dims{1, 1}));
  auto noop = [](NodeProto &node) { OnnxBuilder::set(node, "noop_with_empty_axes", int64_t(1)); };
  EXPECT_EQ(result(one(18, "ReduceMax", {2, 2}, {}, noop)), (Doubles{1, 2, 3, 4}));
  EXPECT_EQ(shape(one(18, "ReduceMax", {2, 3}, {{1}}, [](NodeProto &node) {
              OnnxBuilder::set(node, "keepdims", int64_t(0));
            })),
            (Dims{2}));
  EXPECT_EQ(result(one(18, "ReduceL2", {2}, {{0}}), {3, 4}), (Doubles{5}));
  EXPECT_EQ(result(one(18, "ReduceMin", {3}, {{0}}), {3, NAN, 1}).size(), 1u);
  EXPECT_HAS(errorOf(one(13, "Unsqueeze", {2}, {{0, 0}})), "name a dimension twice");
  EXPECT_HAS(errorOf(one(13, "Squeeze", {2}, {{0}})), "dimension 0 of [2] of f32 cannot be removed: its extent is not 1");
}

TEST_F(OnnxOps, Slice) {
  EXPECT_EQ(result(one(9, "Slice", {5}, {},
                       [](NodeProto &node) {
                         OnnxBuilder::set(node, "starts", Dims{1});
                         OnnxBuilder::set(node, "ends", Dims{-1});
                       })),
            (Doubles{2, 3, 4}));
  EXPECT_EQ(result(one(13, "Slice", {5}, {{-2}, {INT64_MAX}})), (Doubles{4, 5}));
  EXPECT_EQ(result(one(13, "Slice", {5}, {{0}, {5}, {0}, {2}})), (Doubles{1, 3, 5}));
  EXPECT_EQ(result(one(13, "Slice", {5}, {{-1}, {INT64_MIN}, {0}, {-2}})), (Doubles{5, 3, 1}));
  EXPECT_EQ(result(one(13, "Slice", {2, 3}, {{1}, {2}, {-1}})), (Doubles{2, 5}));
  EXPECT_HAS(errorOf(one(13, "Slice", {5}, {{0}, {5}, {0}, {0}})), "step 0");
  EXPECT_HAS(errorOf(one(13, "Slice", {5}, {{0, 1}, {5}})), "differ in length");
}

TEST_F(OnnxOps, SplitAndConcat) {
  auto split = [&](int64_t opset, int64_t extent, int64_t parts, const std::function<void(NodeProto &)> &change,
                   const std::vector<Dims> &sizes = {}) {
    OnnxBuilder b = one(opset, "Split", {extent}, sizes, change);
    for (int64_t i = 1; i < parts; ++i)
      b.graph().mutable_node(0)->add_output("z" + std::to_string(i));
    return b;
  };
  EXPECT_EQ(shape(split(11, 5, 2, list("split", {2, 3}))), (Dims{2}));
  EXPECT_EQ(shape(split(13, 6, 3, {})), (Dims{2}));
  EXPECT_EQ(shape(split(13, 5, 2, {}, {{4, 1}})), (Dims{4}));
  EXPECT_EQ(shape(split(18, 5, 2, [](NodeProto &node) { OnnxBuilder::set(node, "num_outputs", int64_t(2)); })),
            (Dims{3}));
  EXPECT_HAS(errorOf(split(13, 5, 2, {})), "cannot be divided into equal parts for the outputs, whose number is 2");
  EXPECT_HAS(errorOf(split(13, 5, 2, {}, {{4, 2}})), "do not divide dimension 0");
  OnnxBuilder b(13);
  b.input("a", {1, 2});
  b.input("b", {1, 1});
  b.output("y");
  OnnxBuilder::set(b.node("Concat", {"a", "b"}, {"y"}), "axis", int64_t(-1));
  EXPECT_EQ(result(b), (Doubles{1, 2, 101}));
  b.graph().mutable_node(0)->mutable_attribute(0)->set_i(0);
  EXPECT_HAS(errorOf(b), "[1x1] of f32 cannot be appended to [1x2] of f32 along axis 0");
}

TEST_F(OnnxOps, ReshapeFlattenTransposeExpandTile) {
  EXPECT_EQ(shape(one(17, "Reshape", {2, 3}, {{0, -1, 1}})), (Dims{2, 3, 1}));
  EXPECT_EQ(shape(one(17, "Reshape", {4, 6}, {{3, 8}})), (Dims{3, 8})); // the importer collapses x to [24] first
  EXPECT_HAS(errorOf(one(17, "Reshape", {2, 3}, {{-1, -1}})), "has -1 twice");
  EXPECT_HAS(errorOf(one(17, "Reshape", {2, 3}, {{4, -1}})), "cannot have shape [4x-1]");
  EXPECT_HAS(errorOf(one(17, "Reshape", {2, 3}, {{1, 2, 0}})), "copies dimension 2");
  EXPECT_EQ(shape(one(17, "Flatten", {2, 3, 4}, {}, axis(-1))), (Dims{6, 4}));
  EXPECT_EQ(shape(one(17, "Flatten", {2, 3}, {}, axis(0))), (Dims{1, 6}));
  EXPECT_EQ(result(one(17, "Transpose", {2, 2})), (Doubles{1, 3, 2, 4}));
  EXPECT_EQ(result(one(17, "Expand", {2, 1}, {{1, 2}})), (Doubles{1, 1, 2, 2}));
  EXPECT_EQ(result(one(17, "Tile", {1, 2}, {{2, 2}})), (Doubles{1, 2, 1, 2, 1, 2, 1, 2}));
}

TEST_F(OnnxOps, PadAndTrilu) {
  EXPECT_EQ(result(one(10, "Pad", {2}, {}, list("pads", {1, 1}))), (Doubles{0, 1, 2, 0}));
  EXPECT_EQ(result(one(13, "Pad", {3}, {{-1, 2}})), (Doubles{2, 3, 0, 0}));
  EXPECT_HAS(errorOf(one(13, "Pad", {3}, {{-2, -2}})), "the pads -2 and -2 of axis 0 cut more than its extent 3");
  EXPECT_HAS(errorOf(one(13, "Pad", {3}, {{1, 1}},
                         [](NodeProto &node) { OnnxBuilder::set(node, "mode", "reflect"); })),
             "mode 'reflect' is not supported");
  EXPECT_EQ(result(one(14, "Trilu", {2, 2})), (Doubles{1, 2, 0, 4}));
  EXPECT_EQ(result(one(14, "Trilu", {2, 2}, {{-1}},
                       [](NodeProto &node) { OnnxBuilder::set(node, "upper", int64_t(0)); })),
            (Doubles{0, 0, 3, 0}));
}

/// Elementwise functions of infinities, NaN and zeros have the results that follow from their definitions.
TEST_F(OnnxOps, FunctionsOfSpecialValues) {
  std::vector<float> x = {-INFINITY, -2, -0.f, 0, 3, INFINITY, NAN};
  auto same = [](const Doubles &a, const Doubles &b) {
    return llvm::equal(a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
  };
  EXPECT_TRUE(same(result(one(17, "Relu", {7}), x), {0, 0, 0, 0, 3, infinity, NAN}));
  EXPECT_TRUE(same(result(one(17, "Sign", {7}), x), {-1, -1, 0, 0, 1, 1, NAN}));
  Doubles angles = {-2, -0.5, 0, 0.5, 3};
  std::vector<float> some(angles.begin(), angles.end());
  std::pair<const char *, Doubles> functions[] = {
      {"Sin", {-0.9093, -0.4794, 0, 0.4794, 0.1411}},   {"Cos", {-0.4161, 0.8776, 1, 0.8776, -0.99}},
      {"Tan", {2.185, -0.5463, 0, 0.5463, -0.1425}},    {"Asin", {NAN, -0.5236, 0, 0.5236, NAN}},
      {"Acos", {NAN, 2.0944, 1.5708, 1.0472, NAN}},     {"Atan", {-1.1071, -0.4636, 0, 0.4636, 1.249}},
      {"Sinh", {-3.6269, -0.5211, 0, 0.5211, 10.0179}}, {"Cosh", {3.7622, 1.1276, 1, 1.1276, 10.0677}},
      {"Asinh", {-1.4436, -0.4812, 0, 0.4812, 1.8184}}, {"Acosh", {NAN, NAN, NAN, NAN, 1.7627}},
      {"Atanh", {NAN, -0.5493, 0, 0.5493, NAN}}};
  for (const auto &[op, expected] : functions)
    EXPECT_TRUE(same(result(one(17, op, {5}), some), expected)) << op;
  EXPECT_HAS(errorOf(one(8, "Sinh", {5})), "Sinh (opset 8), which exists since opset 9");
  EXPECT_TRUE(same(result(one(17, "Elu", {7}), x), {-1, -0.8647, 0, 0, 3, infinity, NAN}));
  EXPECT_TRUE(same(result(one(17, "Sigmoid", {7}), x), {0, 0.1192, 0.5, 0.5, 0.9526, 1, NAN}));
  EXPECT_TRUE(same(result(one(17, "Softplus", {7}), x), {0, 0.1269, 0.6931, 0.6931, 3.0486, infinity, NAN}));
  EXPECT_TRUE(same(result(one(20, "Gelu", {3}), {-1, 0, 1}), {-0.1587, 0, 0.8413}));
  EXPECT_TRUE(same(result(one(10, "Clip", {7}, {}, [](NodeProto &node) { OnnxBuilder::set(node, "max", 1.f); }), x),
                   {-infinity, -2, 0, 0, 1, 1, NAN}));

  EXPECT_TRUE(same(result(one(18, "Mish", {7}), x), {NAN, -0.2525, 0, 0, 2.9865, infinity, NAN}));
  EXPECT_TRUE(same(result(one(17, "Selu", {7}), x), {-1.7581, -1.5202, 0, 0, 3.1521, infinity, NAN}));
  auto alpha = [](NodeProto &node) { OnnxBuilder::set(node, "alpha", 2.f); };
  EXPECT_TRUE(same(result(one(17, "Celu", {7}, {}, alpha), x), {-2, -1.2642, 0, 0, 3, infinity, NAN}));
  EXPECT_TRUE(same(result(one(17, "ThresholdedRelu", {7}, {}, alpha), x), {0, 0, 0, 0, 3, infinity, 0}));
  EXPECT_TRUE(same(result(one(17, "HardSigmoid", {7}), x), {0, 0.1, 0.5, 0.5, 1, 1, NAN}));
  EXPECT_TRUE(same(result(one(17, "HardSwish", {7}), x), {NAN, -0.3333, 0, 0, 3, infinity, NAN}));
  EXPECT_TRUE(same(result(one(17, "Softsign", {7}), x), {NAN, -0.6667, 0, 0, 0.75, NAN, NAN}));

  OnnxBuilder prelu = one(17, "PRelu", {2, 3});
  prelu.floats("slope", {3}, {0.5f, 2, -1});
  prelu.graph().mutable_node(0)->add_input("slope");
  EXPECT_EQ(result(prelu, {-1, -1, -1, 1, 2, 3}), (Doubles{-0.5, -2, 1, 1, 2, 3}));
  prelu.graph().mutable_initializer(0)->set_dims(0, 1);
  prelu.graph().mutable_initializer(0)->add_dims(1);
  prelu.graph().mutable_initializer(0)->add_dims(3);
  EXPECT_HAS(errorOf(prelu), "a slope of [1x1x3] of f32 does not broadcast to [2x3] of f32");

  OnnxBuilder b = one(17, "Pow", {7});
  b.floats("half", {}, {0.5f});
  b.graph().mutable_node(0)->add_input("half");
  EXPECT_TRUE(same(result(b, x), {infinity, NAN, 0, 0, 1.7321, infinity, NAN}));
  EXPECT_FALSE(llvm::StringRef(textOf(b)).contains("math.powf"));
  b.graph().mutable_initializer(0)->set_float_data(0, 3);
  EXPECT_TRUE(same(result(b, x), {-infinity, -8, 0, 0, 27, infinity, NAN}));
}

TEST_F(OnnxOps, MatMulAndGemm) {
  auto matmul = [&](const Dims &left, const Dims &right) {
    OnnxBuilder b(17);
    b.input("a", left);
    b.input("b", right);
    b.output("y");
    b.node("MatMul", {"a", "b"}, {"y"});
    return b;
  };
  EXPECT_EQ(result(matmul({2}, {2})), (Doubles{101 + 2 * 102}));
  EXPECT_EQ(shape(matmul({2}, {2})), Dims{});
  EXPECT_EQ(shape(matmul({3, 2}, {2})), (Dims{3}));
  EXPECT_EQ(shape(matmul({4, 3, 2}, {2, 5})), (Dims{4, 3, 5}));
  EXPECT_EQ(shape(matmul({4, 1, 3, 2}, {6, 2, 5})), (Dims{4, 6, 3, 5}));
  EXPECT_HAS(textOf(matmul({4, 3, 2}, {2, 5})), "linalg.matmul");
  EXPECT_HAS(textOf(matmul({4, 3, 2}, {4, 2, 5})), "linalg.batch_matmul");
  EXPECT_HAS(errorOf(matmul({2, 3, 2}, {3, 2, 5})), "shapes do not fit");

  OnnxBuilder b(13);
  b.input("a", {2, 1});
  b.input("b", {1, 2});
  b.input("c", {1});
  b.output("y");
  NodeProto &gemm = b.node("Gemm", {"a", "b", "c"}, {"y"});
  OnnxBuilder::set(gemm, "transA", int64_t(1));
  OnnxBuilder::set(gemm, "transB", int64_t(1));
  OnnxBuilder::set(gemm, "alpha", 0.5f);
  OnnxBuilder::set(gemm, "beta", 2.f);
  EXPECT_EQ(result(b), (Doubles{0.5 * (101 + 2 * 102) + 2 * 201}));
}

TEST_F(OnnxOps, LayerNormalization) {
  OnnxBuilder b(17);
  b.input("x", {2, 2, 2});
  b.floats("scale", {2, 2}, {1, 1, 1, 2});
  for (const char *name : {"y", "mean", "deviation"})
    b.output(name);
  OnnxBuilder::set(b.node("LayerNormalization", {"x", "scale"}, {"y", "mean", "deviation"}), "axis", int64_t(1));
  EXPECT_HAS(textOf(b), "heddle.layer_norm");
  auto results = run(b);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{-1.3416, -0.4472, 0.4472, 2.6833, -1.3416, -0.4472, 0.4472, 2.6833}));
  EXPECT_EQ(numbers(results.at("mean")), (Doubles{2.5, 6.5}));
  EXPECT_EQ(numbers(results.at("deviation")), (Doubles{0.8944, 0.8944}));
  b.graph().mutable_initializer(0)->set_dims(0, 4);
  b.graph().mutable_initializer(0)->set_dims(1, 1);
  EXPECT_HAS(errorOf(b), "input 1, [4x1] of f32, does not broadcast to [2x2x2]");
}

/// Mean and inverse standard deviation have the type f32, the default of stash_type, whatever the type of the input.
TEST_F(OnnxOps, StatisticsOfLayerNormalizationAreF32) {
  for (auto [type, name] : {std::pair(TensorProto::FLOAT16, "f16"), {TensorProto::DOUBLE, "f64"}}) {
    OnnxBuilder b(17);
    b.input("x", {2, 3}, type);
    b.input("scale", {3}, type);
    b.output("y", type);
    for (const char *output : {"mean", "deviation"})
      b.output(output);
    b.node("LayerNormalization", {"x", "scale"}, {"y", "mean", "deviation"});
    EXPECT_HAS(textOf(b), std::string("-> (tensor<2x3x") + name + ">");
    EXPECT_HAS(textOf(b), ", tensor<2x1xf32>");
  }
}

/// Scales and biases of norms may have any shape that broadcasts to the input. After normalisation, each row of x is
/// (-1, 1).
TEST_F(OnnxOps, ScalesAndBiasesOfNormsBroadcast) {
  auto norm = [&](const char *op, const Dims &scale, const std::optional<Dims> &bias) {
    OnnxBuilder b(23);
    b.input("x", {2, 2, 2});
    b.output("y");
    auto tensor = [&](const char *name, const Dims &dims) {
      std::vector<float> values(size_t(std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>())));
      std::iota(values.begin(), values.end(), 1.f);
      b.floats(name, dims, values);
    };
    tensor("scale", scale);
    OnnxBuilder::Names names{"x", "scale"};
    if (bias) {
      tensor("bias", *bias);
      names.push_back("bias");
    }
    OnnxBuilder::set(b.node(op, names, {"y"}), "epsilon", 0.f);
    return b;
  };
  std::map<std::string, std::vector<float>> x{{"x", {1, 3, 4, 6, 7, 9, -2, 0}}};
  auto result = [&](const Dims &scale, const std::optional<Dims> &bias) {
    return numbers(run(norm("LayerNormalization", scale, bias), {}, x).at("y"));
  };
  for (const Dims &leading : {Dims{2}, Dims{1, 2}, Dims{1, 1, 2}}) {
    EXPECT_EQ(result(leading, leading), (Doubles{0, 4, 0, 4, 0, 4, 0, 4}));
    std::string text = textOf(norm("LayerNormalization", leading, leading));
    EXPECT_HAS(text, "scale(");
    EXPECT_EQ(text.find("arith.mulf"), std::string::npos) << text;
    EXPECT_HAS(textOf(norm("RMSNormalization", leading, {})), "heddle.rms_norm");
  }
  EXPECT_EQ(result({1}, std::nullopt), (Doubles{-1, 1, -1, 1, -1, 1, -1, 1}));
  EXPECT_EQ(result({2, 1}, std::nullopt), (Doubles{-1, 1, -2, 2, -1, 1, -2, 2}));
  EXPECT_EQ(result({1, 2, 2}, std::nullopt), (Doubles{-1, 2, -3, 4, -1, 2, -3, 4}));
  EXPECT_EQ(result({2, 1, 1}, Dims{2}), (Doubles{0, 3, 0, 3, -1, 4, -1, 4}));
  EXPECT_EQ(result({2}, Dims{2, 1}), (Doubles{0, 3, 1, 4, 0, 3, 1, 4}));
  EXPECT_HAS(errorOf(norm("LayerNormalization", {2}, Dims{1, 1, 1, 2})), "input 2, [1x1x1x2] of f32, does not broadcast");
  EXPECT_HAS(errorOf(norm("RMSNormalization", {3, 1, 2}, {})), "input 1, [3x1x2] of f32, does not broadcast");
}

TEST_F(OnnxOps, DropoutIsTheIdentity) {
  OnnxBuilder b(17);
  b.input("x", {2});
  b.floats("ratio", {}, {0.5f});
  b.empty("training", {}, TensorProto::BOOL).add_int32_data(1);
  b.output("y");
  b.output("mask", TensorProto::BOOL);
  b.node("Dropout", {"x", "ratio", "training"}, {"y", "mask"});
  auto results = run(b);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, 2}));
  EXPECT_EQ(numbers(results.at("mask")), (Doubles{1, 1}));
  EXPECT_HAS(context.take(), "the model contains Dropout in training mode, which is imported as the identity");
}

} // namespace
