//===- onnx_size_values_test.cpp - tensors that depend on sizes -----------===//
//
// Elements of constants, masks and scalars may be functions of a size in a range, which the importer must compute from
// the size in each call.
//
//===----------------------------------------------------------------------===//

#include "OnnxRangesTest.h"

using namespace heddle;

namespace {

TEST_F(OnnxRanges, ConstantsThatDependOnASizeAreComputed) {
  // The result y is x (multiplied by the identity matrix), plus the row number, plus a row of a table.
  OnnxBuilder b = open(40);
  b.floats("table", {41, 1}, std::vector<float>(41, 0.5));
  b.node("Range", {"zero", "n", "one"}, {"positions"});
  b.ints("column", {2}, {-1, 1});
  b.node("Reshape", {"positions", "column"}, {"rows"});
  OnnxBuilder::set(b.node("Cast", {"rows"}, {"numbers"}), "to", int64_t(onnx::TensorProto::FLOAT));
  b.node("Equal", {"rows", "positions"}, {"same"});
  OnnxBuilder::set(b.node("Cast", {"same"}, {"flags"}), "to", int64_t(onnx::TensorProto::FLOAT));
  b.node("MatMul", {"flags", "x"}, {"sums"});
  b.node("Add", {"sums", "numbers"}, {"both"});
  b.node("Gather", {"table", "positions"}, {"of_table"});
  b.node("Add", {"both", "of_table"}, {"y"});

  options.ranges = {{"n", 1, 40}};
  mlir::FailureOr<Model> model = import(b);
  ASSERT_TRUE(succeeded(model)) << context.text;
  for (int placeholderSet = 0; placeholderSet < SizeOptions::choices; ++placeholderSet) {
    SizeOptions sizes;
    sizes.placeholderSet = placeholderSet;
    mlir::FailureOr<Model> open = placeholderSet ? model->importAgain(sizes) : import(b);
    ASSERT_TRUE(succeeded(open)) << context.text;
    int64_t placeholder = notes::sizes.get(*open->module)->front().placeholder;
    EXPECT_LE(placeholder, 41); // the length of the table
    std::string text;
    llvm::raw_string_ostream(text) << **open->module;
    EXPECT_HAS(text, "linalg.index");
    EXPECT_HAS(text, "tensor<41x1xf32> to tensor<" + std::to_string(placeholder) + "x1xf32>");
    // The model computes the same results with a placeholder for n as with n fixed to the value of the placeholder.
    sizes = {};
    sizes.at["n"] = placeholder;
    mlir::FailureOr<Model> fixed = model->importAgain(sizes);
    ASSERT_TRUE(succeeded(fixed)) << context.text;
    std::vector<float> x(placeholder * 40);
    for (auto [i, value] : llvm::enumerate(x))
      value = float(i % 7);
    auto type = mlir::RankedTensorType::get({placeholder, 40}, mlir::Float32Type::get(&context));
    std::vector<char> bytes(x.size() * sizeof(float));
    std::memcpy(bytes.data(), x.data(), bytes.size());
    WeightStore inputs;
    ASSERT_TRUE(inputs.add("x", type, bytes));
    EXPECT_EQ(numbers(runReference(*open, inputs).at("y")), numbers(runReference(*fixed, inputs).at("y")));
  }
}

TEST_F(OnnxRanges, MasksThatCompareWithPositionsAreComputed) {
  // The mask compares column j with row i + further; its elements are 1 or 0 on the two sides of this diagonal.
  auto triangle = [&](int64_t further, const char *comparison) {
    OnnxBuilder b = open(1);
    b.ints("more", {}, {further});
    b.node("Add", {"n", "more"}, {"end"});
    b.node("Range", {"more", "end", "one"}, {"numbers"});
    b.node("Range", {"zero", "n", "one"}, {"positions"});
    b.ints("column", {2}, {-1, 1});
    b.node("Reshape", {"numbers", "column"}, {"rows"});
    b.node(comparison, {"positions", "rows"}, {"before"});
    OnnxBuilder::set(b.node("Cast", {"before"}, {"flags"}), "to", int64_t(onnx::TensorProto::FLOAT));
    b.node("MatMul", {"flags", "x"}, {"y"});
    return b;
  };
  auto text = [&](const OnnxBuilder &b, int64_t high) {
    options = {};
    options.ranges = {{"n", 1, high}};
    mlir::FailureOr<Model> model = import(b);
    std::string text;
    if (succeeded(model))
      llvm::raw_string_ostream(text) << *model->module;
    return text;
  };
  for (int64_t further : {-2, -1, 0, 1, 2}) {
    std::string computed = text(triangle(further, "LessOrEqual"), 700);
    EXPECT_HAS(computed, "linalg.index");
    EXPECT_HAS(computed, "arith.constant " + std::to_string(further) + " : index");
    EXPECT_HAS(text(triangle(further, "Greater"), 700), "linalg.index");
  }
  // The second diagonal is 39 columns before the first. At sizes up to 38, no element lies beyond the second diagonal;
  // at size 40, some elements do.
  OnnxBuilder b = triangle(0, "LessOrEqual");
  b.ints("width", {}, {39});
  b.node("Sub", {"rows", "width"}, {"first"});
  b.node("Greater", {"positions", "first"}, {"near"});
  b.node("And", {"before", "near"}, {"seen"});
  OnnxBuilder::set(b.node("Cast", {"seen"}, {"seen_flags"}), "to", int64_t(onnx::TensorProto::FLOAT));
  b.node("MatMul", {"seen_flags", "x"}, {"z"});
  b.output("z");
  std::string near = text(b, 38);
  EXPECT_EQ(near.find("muli"), std::string::npos) << near;
  EXPECT_HAS(text(b, 40), "muli");
}

TEST_F(OnnxRanges, ScalarsThatDependOnASizeAreComputed) {
  auto toFloat = [](OnnxBuilder &b, const char *number, const char *result) {
    OnnxBuilder::set(b.node("Cast", {number}, {result}), "to", int64_t(onnx::TensorProto::FLOAT));
  };
  // The model uses n - 1 and the inverse of the number of elements. For the placeholder n = 4001 and the larger width,
  // the number of elements exceeds 2^24, above which f32 does not represent all integers.
  for (int64_t width : {40, 48 * 1009}) {
    OnnxBuilder b = open(width);
    b.node("ReduceMean", {"x"}, {"mean"});
    b.node("Sub", {"n", "one"}, {"last"});
    toFloat(b, "last", "lastf");
    b.node("Size", {"x"}, {"all"});
    toFloat(b, "all", "allf");
    b.node("Reciprocal", {"allf"}, {"part"});
    b.node("Mul", {"x", "part"}, {"parts"});
    b.node("Mul", {"parts", "lastf"}, {"y"});
    b.output("mean");
    EXPECT_EQ(placeholderOf(b, 1, 40), 4001) << context.text;
    EXPECT_EQ(placeholderOf(b, 2, 40), 4001) << context.text;
    // For n = 1, the mean of the vector [n] is the mean of a single element.
    b.input("other", {1}).mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("n");
    b.node("ReduceMean", {"other"}, {"one_mean"});
    b.output("one_mean");
    EXPECT_EQ(placeholderOf(b, 1, 40), 4001) << context.text;
  }
  // The model computes with integers, and contains a constant that accidentally equals the placeholder.
  OnnxBuilder b = open(40);
  b.ints("prime", {}, {4001});
  OnnxBuilder::set(b.node("Cast", {"x"}, {"i"}), "to", int64_t(onnx::TensorProto::INT32));
  OnnxBuilder::set(b.node("Cast", {"n"}, {"n32"}), "to", int64_t(onnx::TensorProto::INT32));
  OnnxBuilder::set(b.node("Cast", {"prime"}, {"p32"}), "to", int64_t(onnx::TensorProto::INT32));
  b.node("Min", {"i", "n32"}, {"bounded"});
  b.node("Add", {"bounded", "p32"}, {"sum"});
  toFloat(b, "sum", "y");
  EXPECT_EQ(placeholderOf(b, 1, 40), 4001) << context.text;
}

TEST_F(OnnxRanges, OtherFunctionsOfASizeAreComputed) {
  OnnxBuilder b = open(40);
  OnnxBuilder::set(b.node("Cast", {"n"}, {"number"}), "to", int64_t(onnx::TensorProto::FLOAT));
  b.node("Sqrt", {"number"}, {"root"});
  b.node("Mul", {"x", "root"}, {"y"});
  EXPECT_EQ(placeholderOf(b, 1, 40), 4001) << context.text;
  // Range counts down from n.
  b = open(40);
  b.ints("step", {}, {-1});
  b.node("Range", {"n", "zero", "step"}, {"down"});
  b.ints("column", {2}, {-1, 1});
  b.node("Reshape", {"down", "column"}, {"rows"});
  OnnxBuilder::set(b.node("Cast", {"rows"}, {"numbers"}), "to", int64_t(onnx::TensorProto::FLOAT));
  b.node("Mul", {"x", "numbers"}, {"y"});
  EXPECT_EQ(placeholderOf(b, 1, 40), 4001) << context.text;
}

} // namespace
