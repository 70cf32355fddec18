//===- onnx_products_test.cpp - Einsum, Conv, BatchNormalization, TopK ----===//
//
// Imports models of one node and compares the interpreter's results with numbers that are easy to compute.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

#include <numeric>

using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;
using Doubles = std::vector<double>;

struct OnnxProducts : OnnxTest {
  /// Returns an Einsum of operands with these shapes. result() passes the elements 1, 2, ... as each operand.
  OnnxBuilder einsum(const char *equation, const std::vector<Dims> &shapes) {
    OnnxBuilder b(17);
    OnnxBuilder::Names names;
    for (size_t i = 0; i < shapes.size(); ++i)
      b.input(names.emplace_back("x" + std::to_string(i)), shapes[i]);
    b.output("y");
    OnnxBuilder::set(b.node("Einsum", names, {"y"}), "equation", equation);
    return b;
  }
  /// Returns the shape and the elements of a result.
  std::pair<Dims, Doubles> result(const OnnxBuilder &b, const std::string &name = "y") {
    std::map<std::string, std::vector<float>> floats;
    for (const onnx::ValueInfoProto &input : b.model.graph().input()) {
      int64_t count = 1;
      for (const auto &dim : input.type().tensor_type().shape().dim())
        count *= dim.dim_value();
      for (int64_t k = 1; k <= count; ++k)
        floats[input.name()].push_back(k);
    }
    auto results = run(b, {}, floats);
    if (!results.count(name))
      return {};
    const heddle::Tensor &tensor = results.at(name);
    return {Dims(tensor.shape().begin(), tensor.shape().end()), numbers(tensor)};
  }
  /// Returns a model with one node, whose input x has this shape and whose output y contains integers.
  OnnxBuilder order(int64_t opset, const std::string &op, const Dims &dims, int32_t type = TensorProto::FLOAT) {
    OnnxBuilder b(opset);
    b.input("x", dims, type);
    b.output("y", TensorProto::INT64);
    b.node(op, {"x"}, {"y"});
    return b;
  }
};

TEST_F(OnnxProducts, Einsum) {
  EXPECT_EQ(result(einsum("ij,jk->ik", {{2, 2}, {2, 1}})), std::pair(Dims({2, 1}), Doubles({5, 11})));
  EXPECT_EQ(result(einsum("ij,jk", {{2, 2}, {2, 1}})), std::pair(Dims({2, 1}), Doubles({5, 11})));
  EXPECT_EQ(result(einsum("ij -> ji", {{2, 3}})), std::pair(Dims({3, 2}), Doubles({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(result(einsum("ij->", {{2, 3}})), std::pair(Dims(), Doubles({21})));
  EXPECT_EQ(result(einsum("i,i->i", {{3}, {3}})), std::pair(Dims({3}), Doubles({1, 4, 9})));
  EXPECT_EQ(result(einsum("i,j->ji", {{2}, {2}})), std::pair(Dims({2, 2}), Doubles({1, 2, 2, 4})));
  EXPECT_EQ(result(einsum("i,i->", {{3}, {3}})), std::pair(Dims(), Doubles({14})));
  // A dimension that occurs in only one operand and not in the result is summed first. Batch dimensions may have
  // different orders in the operands.
  EXPECT_EQ(result(einsum("bik,kb->b", {{2, 2, 1}, {1, 2}})), std::pair(Dims({2}), Doubles({3, 14})));
  EXPECT_EQ(result(einsum("bqhd,bkhd->bhqk", {{1, 2, 2, 1}, {1, 1, 2, 1}})),
            std::pair(Dims({1, 2, 2, 1}), Doubles({1, 3, 4, 8})));
  EXPECT_EQ(result(einsum("...ij,...jk->...ik", {{2, 1, 2}, {1, 2, 1}})), std::pair(Dims({2, 1, 1}), Doubles({5, 11})));
  EXPECT_EQ(result(einsum("i...->...", {{2, 2}})), std::pair(Dims({2}), Doubles({4, 6})));
  EXPECT_EQ(result(einsum("ij,jk,kl->il", {{1, 2}, {2, 2}, {2, 1}})), std::pair(Dims({1, 1}), Doubles({27})));
}

TEST_F(OnnxProducts, EinsumTakesDiagonals) {
  EXPECT_EQ(result(einsum("ii->i", {{3, 3}})), std::pair(Dims({3}), Doubles({1, 5, 9})));
  EXPECT_EQ(result(einsum("ii", {{3, 3}})), std::pair(Dims(), Doubles({15})));
  EXPECT_EQ(result(einsum("bii->b", {{2, 2, 2}})), std::pair(Dims({2}), Doubles({5, 13})));
  EXPECT_EQ(result(einsum("ibi->ib", {{2, 2, 2}})), std::pair(Dims({2, 2}), Doubles({1, 3, 6, 8})));
  EXPECT_EQ(result(einsum("iii->i", {{2, 2, 2}})), std::pair(Dims({2}), Doubles({1, 8})));
  EXPECT_EQ(result(einsum("ijij->ji", {{2, 1, 2, 1}})), std::pair(Dims({1, 2}), Doubles({1, 4})));
  EXPECT_EQ(result(einsum("...ii->...i", {{2, 2, 2}})), std::pair(Dims({2, 2}), Doubles({1, 4, 5, 8})));
  EXPECT_EQ(result(einsum("ii,ij->j", {{2, 2}, {2, 2}})), std::pair(Dims({2}), Doubles({13, 18})));
  EXPECT_EQ(result(einsum("ij,jj->i", {{1, 2}, {2, 2}})), std::pair(Dims({1}), Doubles({9})));

  OnnxBuilder b = einsum("ii->i", {{2, 2}}); // elements off the diagonal have no influence
  EXPECT_EQ(numbers(run(b, {}, {{"x0", {1, NAN, INFINITY, 4}}}).at("y")), (Doubles{1, 4}));
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT64);
  b.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT64);
  EXPECT_EQ(numbers(run(b, {{"x0", {1, 2, 3, 4}}}).at("y")), (Doubles{1, 4}));
}

TEST_F(OnnxProducts, RefusesInvalidEinsum) {
  EXPECT_HAS(errorOf(einsum("ii->i", {{2, 3}})), "dimension 'i' has different extents, 2 and 3");
  EXPECT_HAS(errorOf(einsum("ii,i->i", {{2, 2}, {3}})), "dimension 'i' has different extents, 2 and 3");
  EXPECT_HAS(errorOf(einsum("i->ii", {{2}})), "has a label twice, or one that no operand has");
  EXPECT_HAS(errorOf(einsum("ij->ik", {{2, 2}})), "has a label twice, or one that no operand has");
  EXPECT_HAS(errorOf(einsum("ij->ii", {{2, 2}})), "has a label twice, or one that no operand has");
  EXPECT_HAS(errorOf(einsum("ij,jk->ik", {{2, 2}, {3, 2}})), "dimension 'j' has different extents, 2 and 3");
  EXPECT_HAS(errorOf(einsum("ijk->i", {{2, 2}})), "'ijk' does not fit a tensor of 2 dimensions");
  EXPECT_HAS(errorOf(einsum("i,j->ij", {{2}})), "is 2, but the number of inputs is 1");
  EXPECT_HAS(errorOf(einsum("i,j->ij", {{262144}, {262144}})), "too many elements");
  EXPECT_HAS(errorOf(einsum("i,j,k,k->ij", {{262144}, {262144}, {2}, {2}})), "too many elements");
  EXPECT_HAS(errorOf(einsum("i$->i", {{2, 1}})), "cannot read 'i$' in the equation");
}

/// The result is the index of the first (or last) of several equal elements. A NaN is selected before all numbers.
TEST_F(OnnxProducts, ArgMax) {
  OnnxBuilder b = order(13, "ArgMax", {2, 4});
  OnnxBuilder::set(*b.graph().mutable_node(0), "axis", int64_t(1));
  auto arg = [&](const std::vector<float> &x) { return numbers(run(b, {}, {{"x", x}}).at("y")); };
  EXPECT_EQ(arg({1, 3, 3, 2, 5, 4, 4, 5}), (Doubles{1, 0}));
  EXPECT_EQ(arg({1, NAN, 3, NAN, -INFINITY, -INFINITY, -INFINITY, -INFINITY}), (Doubles{1, 0}));
  OnnxBuilder::set(*b.graph().mutable_node(0), "select_last_index", int64_t(1));
  EXPECT_EQ(arg({1, 3, 3, 2, 5, 4, 4, 5}), (Doubles{2, 3}));
  b.graph().mutable_node(0)->set_op_type("ArgMin");
  OnnxBuilder::set(*b.graph().mutable_node(0), "keepdims", int64_t(0));
  EXPECT_EQ(arg({1, 3, 1, 2, 5, 4, 4, 5}), (Doubles{2, 2}));
  EXPECT_EQ(result(order(13, "ArgMax", {3, 1}, TensorProto::INT64)), std::pair(Dims({1, 1}), Doubles({2})));
  EXPECT_HAS(errorOf(order(13, "ArgMax", {2}, TensorProto::BOOL)), "ordering bool elements is not supported");
}

// As in CLIP, the model looks up the row at the position of the largest token id. The importer knows that the index of
// ArgMax is in range.
TEST_F(OnnxProducts, ArgMaxIsAValidIndex) {
  OnnxBuilder b = order(13, "ArgMax", {5}, TensorProto::INT64);
  b.graph().mutable_node(0)->set_output(0, "at");
  b.input("table", {5, 2});
  b.node("Gather", {"table", "at"}, {"y"});
  b.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  EXPECT_EQ(result(b), std::pair(Dims({1, 2}), Doubles({9, 10})));
}

TEST_F(OnnxProducts, TopK) {
  OnnxBuilder b(11);
  b.input("x", {1, 6});
  b.output("y");
  b.output("at", TensorProto::INT64);
  b.ints("k", {1}, {3});
  NodeProto &node = b.node("TopK", {"x", "k"}, {"y", "at"});
  auto top = [&](const std::vector<float> &x) {
    auto results = run(b, {}, {{"x", x}});
    return std::pair(numbers(results.at("y")), numbers(results.at("at")));
  };
  EXPECT_EQ(top({1, 5, 2, 5, -1, 4}), std::pair(Doubles({5, 5, 4}), Doubles({1, 3, 5})));
  EXPECT_EQ(top({-INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}).second, (Doubles{1, 0, 2}));
  EXPECT_EQ(top({1, NAN, 2, NAN, 3, 4}).second, (Doubles{1, 3, 5}));
  OnnxBuilder::set(node, "largest", int64_t(0));
  EXPECT_EQ(top({1, 5, 2, 5, -1, 4}), std::pair(Doubles({-1, 1, 2}), Doubles({4, 0, 2})));
  EXPECT_EQ(top({NAN, NAN, NAN, NAN, 7, 4}).second, (Doubles{5, 4, 0}));
  b.graph().mutable_initializer(0)->set_int64_data(0, 7);
  EXPECT_HAS(errorOf(b), "cannot take 7 of 6 elements");
}

/// For short inputs, the importer writes TopK as a comparison of all pairs of elements. An input with as many elements
/// as a vocabulary is too large for this.
TEST_F(OnnxProducts, TopKOfManyElements) {
  constexpr int64_t count = 3000, taken = 70;
  std::vector<float> x(2 * count);
  for (auto [i, value] : llvm::enumerate(x))
    value = float(i * 7919 % 601); // each value occurs about five times in each row
  x[1500] = NAN, x[2999] = NAN, x[7] = -INFINITY;
  for (bool largest : {true, false}) {
    OnnxBuilder b(11);
    b.input("x", {2, count});
    b.output("y");
    b.output("at", TensorProto::INT64);
    b.ints("k", {1}, {taken});
    OnnxBuilder::set(b.node("TopK", {"x", "k"}, {"y", "at"}), "largest", int64_t(largest));
    auto results = run(b, {}, {{"x", x}});
    Doubles values = numbers(results.at("y")), at = numbers(results.at("at"));
    for (int64_t row = 0; row < 2; ++row) {
      std::vector<int64_t> order(count);
      std::iota(order.begin(), order.end(), 0);
      llvm::sort(order, [&](int64_t i, int64_t j) {
        float left = x[row * count + i], right = x[row * count + j];
        if (std::isnan(left) != std::isnan(right))
          return std::isnan(largest ? left : right);
        if (!std::isnan(left) && left != right)
          return largest ? left > right : left < right;
        return i < j;
      });
      for (int64_t i = 0; i < taken; ++i) {
        EXPECT_EQ(at[row * taken + i], order[i]) << row << " " << i;
        float expected = x[row * count + order[i]];
        if (!std::isnan(expected))
          EXPECT_EQ(values[row * taken + i], expected);
      }
    }
  }
  OnnxBuilder many(11);
  many.input("x", {count}, TensorProto::INT64);
  many.output("y", TensorProto::INT64);
  many.output("at", TensorProto::INT64);
  many.ints("k", {1}, {2});
  OnnxBuilder::set(many.node("TopK", {"x", "k"}, {"y", "at"}), "largest", int64_t(0));
  std::vector<int64_t> numbersFrom(count, 1000);
  numbersFrom[2000] = -3;
  EXPECT_EQ(numbers(run(many, {{"x", numbersFrom}}).at("at")), (Doubles{2000, 0}));
  many.graph().mutable_initializer(0)->set_int64_data(0, 257);
  EXPECT_HAS(errorOf(many), "cannot take 257 of 3000 elements: at most 256 can be taken if there are more than 1024");
}

/// The importer writes sums along more than 1024 elements as sums of blocks.
TEST_F(OnnxProducts, CumSum) {
  auto sums = [&](int64_t count, bool exclusive, bool reverse, const std::vector<float> &x) {
    OnnxBuilder b(14);
    b.input("x", {count});
    b.output("y");
    b.ints("axis", {}, {0});
    NodeProto &node = b.node("CumSum", {"x", "axis"}, {"y"});
    OnnxBuilder::set(node, "exclusive", int64_t(exclusive));
    OnnxBuilder::set(node, "reverse", int64_t(reverse));
    return numbers(run(b, {}, {{"x", x}}).at("y"));
  };
  EXPECT_EQ(sums(4, false, false, {1, 2, 3, 4}), (Doubles{1, 3, 6, 10}));
  EXPECT_EQ(sums(4, true, false, {1, 2, 3, 4}), (Doubles{0, 1, 3, 6}));
  EXPECT_EQ(sums(4, true, true, {1, 2, 3, 4}), (Doubles{9, 7, 4, 0}));
  EXPECT_EQ(sums(3, false, false, {1, INFINITY, 2}), (Doubles{1, INFINITY, INFINITY}));
  std::vector<float> many(1500);
  std::iota(many.begin(), many.end(), 0);
  Doubles forward = sums(1500, false, false, many), backward = sums(1500, true, true, many);
  for (int64_t i = 0; i < 1500; ++i) {
    EXPECT_EQ(forward[i], i * (i + 1) / 2) << i;
    EXPECT_EQ(backward[i], 1499 * 750 - i * (i + 1) / 2) << i;
  }
}

/// Only convolutions whose strides equal the kernel, such as patch embeddings, are supported. The importer writes them
/// as matrix products.
TEST_F(OnnxProducts, ConvOfDisjointPatches) {
  OnnxBuilder b(17);
  b.input("x", {1, 2, 5}); // the last position is in no patch
  b.floats("w", {2, 2, 2}, {1, 0, 0, 0, 0, 0, 0, 1});
  b.floats("bias", {2}, {10, 20});
  b.output("y");
  NodeProto &node = b.node("Conv", {"x", "w", "bias"}, {"y"});
  EXPECT_HAS(errorOf(b), "a convolution whose strides [1] differ from its kernel [2] is not supported");
  OnnxBuilder::set(node, "strides", Dims{2});
  EXPECT_EQ(result(b), std::pair(Dims({1, 2, 2}), Doubles({11, 13, 27, 29})));
  OnnxBuilder::set(node, "pads", Dims{1, 1});
  EXPECT_HAS(errorOf(b), "a convolution with padding is not supported");

  OnnxBuilder image(17);
  image.input("x", {1, 1, 2, 4});
  image.floats("w", {1, 1, 2, 2}, {1, 2, 3, 4});
  image.output("y");
  OnnxBuilder::set(image.node("Conv", {"x", "w"}, {"y"}), "strides", Dims{2, 2});
  EXPECT_EQ(result(image), std::pair(Dims({1, 1, 1, 2}), Doubles({1 + 4 + 15 + 24, 3 + 8 + 21 + 32})));
  EXPECT_HAS(textOf(image), "linalg.matmul");
}

TEST_F(OnnxProducts, BatchNormalization) {
  OnnxBuilder b(15);
  b.input("x", {1, 2, 2});
  b.floats("scale", {2}, {1, 2});
  b.floats("bias", {2}, {0, 1});
  b.floats("mean", {2}, {1, 3});
  b.floats("variance", {2}, {4, 1});
  b.output("y");
  NodeProto &node = b.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, {"y"});
  OnnxBuilder::set(node, "epsilon", 0.f);
  EXPECT_EQ(result(b), std::pair(Dims({1, 2, 2}), Doubles({0, 0.5, 1, 3})));
  OnnxBuilder::set(node, "training_mode", int64_t(1));
  EXPECT_HAS(errorOf(b), "training_mode 1 is not supported");
}

TEST_F(OnnxProducts, ErrorsNameQuantizedModels) {
  OnnxBuilder b = order(17, "QLinearConv", {2});
  b.graph().mutable_node(0)->set_name("first");
  EXPECT_HAS(errorOf(b), "QLinearConv (opset 17): node 'first'");
  EXPECT_HAS(errorOf(b), "the model is quantised: use the float model from which it was made");
  b.empty("zero", {1}, TensorProto::UINT8).set_raw_data("0"); // an element type of quantized models
  EXPECT_HAS(errorOf(b), "the model is quantised: use the float model from which it was made");
  EXPECT_EQ(errorOf(order(17, "Conv3", {2})).find("quantised"), std::string::npos);
}

} // namespace
