//===- onnx_ranges_test.cpp - models with dimensions in ranges ------------===//
//
// A size in a range is represented by a placeholder in types: 4001, unless an extent or a table of the model excludes
// this number. placeholderOf returns the placeholder, or 0 if the import fails. The importer must find all values that
// depend on a size, and refuse a model that is invalid at some of the sizes.
//
//===----------------------------------------------------------------------===//

#include "OnnxRangesTest.h"

#include <numeric>

using namespace heddle;

namespace {

TEST_F(OnnxRanges, PlaceholderIsTheLargestPrimeThatDividesNoExtent) {
  OnnxBuilder b = open(5);
  b.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(placeholderOf(b, 1, 8), 4001);
  b = open(3 * 4001);
  b.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(placeholderOf(b, 1, 8), 3989);
}

TEST_F(OnnxRanges, ASingleRowIsBroadcastToAnyNumberOfRows) {
  for (const char *op : {"Mul", "Add", "Div"}) { // the operands [n, 5] and [1, 5] have equal rank
    OnnxBuilder b = open(5);
    b.input("row", {1, 5});
    b.node(op, {"x", "row"}, {"y"});
    EXPECT_EQ(placeholderOf(b, 1, 8), 4001) << op << ": " << context.text;
  }
}

TEST_F(OnnxRanges, AScatterToAllElementsInOrderIsReplacedByItsUpdates) {
  // ScatterND writes Relu(x) to all elements of x. If `columns` is 0, 1, 2, 3, 4, the position of each update in the
  // result is its position among the updates.
  auto scatter = [&](const OnnxBuilder::Dims &columns) {
    OnnxBuilder b = open(5);
    b.node("Range", {"zero", "n", "one"}, {"positions"});
    b.ints("column", {2}, {-1, 1});
    b.node("Reshape", {"positions", "column"}, {"rows"});
    b.node("Expand", {"rows", "shape"}, {"all_rows"});
    b.ints("columns", {1, 5}, columns);
    b.node("Expand", {"columns", "shape"}, {"all_columns"});
    b.ints("last", {1}, {-1});
    b.node("Unsqueeze", {"all_rows", "last"}, {"first_index"});
    b.node("Unsqueeze", {"all_columns", "last"}, {"second_index"});
    OnnxBuilder::set(b.node("Concat", {"first_index", "second_index"}, {"tuples"}), "axis", int64_t(-1));
    b.node("Relu", {"x"}, {"updates"});
    b.node("ScatterND", {"x", "tuples", "updates"}, {"y"}).set_name("write");
    return b;
  };
  EXPECT_EQ(placeholderOf(scatter({0, 1, 2, 3, 4}), 1, 80), 4001) << context.text;
  options = {};
  options.ranges = {{"n", 1, 80}};
  EXPECT_EQ(textOf(scatter({0, 1, 2, 3, 4})).find("arith.cmpi"), std::string::npos);
  // If `columns` has another order, the code compares the position of each element with all indices: the new value of
  // the element is the last of its updates, or its old value if it has none.
  EXPECT_NE(placeholderOf(scatter({0, 1, 3, 2, 4}), 1, 80), 0) << context.text;
  for (const OnnxBuilder::Dims &columns : {OnnxBuilder::Dims{0, 1, 2, 3, 4}, {0, 1, 3, 2, 4}, {0, 1, 2, 3, 0}}) {
    options = {};
    options.dims = {{"n", 3}};
    std::vector<double> expected(15);
    std::iota(expected.begin(), expected.end(), 1);
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t i = 0; i < 5; ++i)
        expected[size_t(5 * row + columns[size_t(i)])] = double(5 * row + i + 1);
    EXPECT_EQ(numbers(run(scatter(columns)).at("y")), expected);
  }
}

TEST_F(OnnxRanges, LookupsInTensorsThatMayBeEmptyAreRefused) {
  OnnxBuilder b = open(5);
  b.input("rows", {2}, onnx::TensorProto::INT64);
  b.node("Gather", {"x", "rows"}, {"y"}).set_name("lookup");
  options.ranges = {{"n", 0, 8}};
  EXPECT_TRUE(failed(import(b)));
  EXPECT_HAS(context.take(), "'lookup' (Gather, opset 17): a lookup in a dimension that may be empty is not supported: "
                             "its extent is n, which is 0 at n=0 and 1 at n=1");
}

TEST_F(OnnxRanges, ShapesFromUnsupportedFunctionsOfSizesAreRefused) {
  OnnxBuilder b = open(5);
  OnnxBuilder::set(b.node("Cast", {"n"}, {"number"}), "to", int64_t(onnx::TensorProto::FLOAT));
  b.node("Exp", {"number"}, {"exponential"});
  auto &cut = b.node("Cast", {"exponential"}, {"rows"});
  cut.set_name("cut");
  OnnxBuilder::set(cut, "to", int64_t(onnx::TensorProto::INT64));
  b.node("Unsqueeze", {"rows", "zeros"}, {"shape_of_it"});
  b.ints("zeros", {1}, {0});
  b.node("ConstantOfShape", {"shape_of_it"}, {"y"});
  options.ranges = {{"n", 1, 8}};
  EXPECT_TRUE(failed(import(b)));
  EXPECT_NE(context.take().find("the shape must be known at import, but 'shape_of_it' depends on node 'cut', whose "
                                "result the importer cannot express in terms of the sizes; if sizes lie in ranges, "
                                "fixed values (--dim NAME=NUMBER) may help"),
            std::string::npos);
}

TEST_F(OnnxRanges, ModelsThatDifferForASizeOfOneAreImported) {
  // A causal mask is combined with flags of the columns. For n = 1, all elements of the causal mask are true, so the
  // mask has no effect.
  OnnxBuilder b = open(1);
  b.node("Range", {"zero", "n", "one"}, {"positions"});
  b.ints("column", {2}, {-1, 1});
  b.node("Reshape", {"positions", "column"}, {"rows"});
  b.node("LessOrEqual", {"positions", "rows"}, {"mask"});
  OnnxBuilder::set(b.node("Cast", {"x"}, {"flags"}), "to", int64_t(onnx::TensorProto::BOOL));
  b.node("Transpose", {"flags"}, {"columns"});
  b.node("And", {"mask", "columns"}, {"both"});
  OnnxBuilder::set(b.node("Cast", {"both"}, {"y"}), "to", int64_t(onnx::TensorProto::FLOAT));
  for (int64_t low : {1, 2})
    EXPECT_EQ(placeholderOf(b, low, 40), 4001) << context.text;

  b = open(3);
  b.floats("five", {}, {5});
  b.floats("seven", {}, {7});
  b.node("Equal", {"n", "one"}, {"alone"});
  b.node("Where", {"alone", "five", "seven"}, {"factor"});
  b.node("Mul", {"x", "factor"}, {"y"});
  for (int64_t low : {1, 2})
    EXPECT_EQ(placeholderOf(b, low, 40), 4001) << context.text;
}

/// Returns a model with the inputs `x` [m] and `z` [n], and with the value `m`, a tensor [1] that contains the size m.
OnnxBuilder twoVectors() {
  OnnxBuilder b;
  for (auto [name, size] : {std::pair("x", "m"), std::pair("z", "n")})
    b.input(name, {1}).mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(size);
  b.node("Shape", {"x"}, {"m"});
  b.output("y");
  return b;
}

TEST_F(OnnxRanges, TheMinimumOfTwoSizesIsASize) {
  // y consists of the first m of the n elements of z, or of all of them if n < m.
  OnnxBuilder b = twoVectors();
  b.ints("zero", {1}, {0});
  b.node("Slice", {"z", "zero", "m"}, {"y"});
  options.ranges = {{"m", 1, 9}, {"n", 1, 9}};
  EXPECT_HAS(textOf(b), "name = \"min(m, n)\"");
  options.ranges = {{"m", 9, 20}, {"n", 1, 9}};
  std::string text = textOf(b);
  EXPECT_EQ(text.find("min"), std::string::npos) << text;
}

TEST_F(OnnxRanges, TwoSizesAreEqualOnlyIfTheirRangesAreTheSameNumber) {
  OnnxBuilder b = twoVectors();
  b.node("Add", {"x", "z"}, {"y"}).set_name("both");
  options.ranges = {{"m", 1, 9}, {"n", 1, 9}};
  EXPECT_EQ(errorOf(b),
            "node 'both' (Add, opset 17): shapes [m] and [n] do not broadcast\n"
            "node 'both' (Add, opset 17): whether 'm - n' is 0 is not the same for all sizes: this is true at m=1 "
            "n=1, not at m=2 n=1\n");
  options.ranges = {{"m", 9, 9}, {"n", 9, 9}};
  EXPECT_HAS(textOf(b), "tensor<9xf32>");
}

TEST_F(OnnxRanges, MoreThanSixSizesAreRefused) {
  OnnxBuilder b;
  auto &shape = *b.input("x", {1, 1, 1, 1, 1, 1, 1}).mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int dim = 0; dim < 7; ++dim) {
    shape.mutable_dim(dim)->set_dim_param("n" + std::to_string(dim));
    options.ranges.push_back({"n" + std::to_string(dim), 1, 2});
  }
  b.node("Relu", {"x"}, {"y"});
  b.output("y");
  EXPECT_EQ(errorOf(b), "expected at most 6 sizes in ranges, found 7\n");
}

TEST_F(OnnxRanges, TablesShorterThanTheLargestSizeAreRefused) {
  OnnxBuilder b = open(2);
  std::vector<float> table(64);
  b.floats("table", {32, 2}, table);
  b.node("Range", {"zero", "n", "one"}, {"positions"});
  b.node("Gather", {"table", "positions"}, {"rows"});
  b.node("Add", {"x", "rows"}, {"y"});
  EXPECT_EQ(placeholderOf(b, 1, 32), 31);
  EXPECT_EQ(placeholderOf(b, 1, 5), 31);
  EXPECT_EQ(placeholderOf(b, 1, 33), 0);
  EXPECT_HAS(context.take(), "index 32 is out of range for an extent of 32");
}

TEST_F(OnnxRanges, ProductsOfBatchesThatMayBeOneAreBatched) {
  // For b = 1, the product could be a product of two matrices, but the same operation must serve all batch sizes.
  OnnxBuilder b;
  auto &shape = *b.input("x", {1, 1, 5}).mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("b");
  shape.mutable_dim(1)->set_dim_param("s");
  OnnxBuilder::set(b.node("Transpose", {"x"}, {"t"}), "perm", OnnxBuilder::Dims{0, 2, 1});
  b.node("MatMul", {"t", "x"}, {"y"});
  b.output("y");
  options.ranges = {{"b", 1, 4}, {"s", 1, 9}};
  EXPECT_HAS(textOf(b), "linalg.batch_matmul");
  // The product is also batched if the other size in a range, s, is its number of rows.
  b.node("MatMul", {"x", "t"}, {"z"});
  b.output("z");
  EXPECT_EQ(llvm::StringRef(textOf(b)).count("linalg.batch_matmul"), 2u);
}

TEST_F(OnnxRanges, EqualMasksOfAllSentencesAreImported) {
  // The column numbers are expanded to b sentences, and added to both heads of each sentence.
  OnnxBuilder b;
  auto &shape = *b.input("x", {1, 2, 1}).mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("b");
  shape.mutable_dim(2)->set_dim_param("s");
  b.ints("zero", {}, {0});
  b.ints("one", {}, {1});
  b.ints("ones", {1}, {1});
  b.ints("first", {1}, {0});
  b.ints("two", {}, {2});
  b.node("Shape", {"x"}, {"shape"});
  b.node("Gather", {"shape", "two"}, {"s"});
  b.node("Gather", {"shape", "first"}, {"batch"});
  OnnxBuilder::set(b.node("Concat", {"batch", "ones", "ones"}, {"batches"}), "axis", int64_t(0));
  b.node("Range", {"zero", "s", "one"}, {"positions"});
  OnnxBuilder::set(b.node("Cast", {"positions"}, {"numbers"}), "to", int64_t(onnx::TensorProto::FLOAT));
  b.node("Expand", {"numbers", "batches"}, {"each"});
  b.node("Add", {"x", "each"}, {"y"});
  b.output("y");
  options.ranges = {{"b", 1, 4}, {"s", 1, 9}};
  EXPECT_TRUE(succeeded(import(b))) << context.text;
}

TEST_F(OnnxRanges, NegativePaddingRemovesRows) {
  // Pad removes the only row of a slice, the last row of x, and appends a row of zeros.
  OnnxBuilder b = open(5);
  b.ints("last", {1}, {-1});
  b.ints("end", {1}, {INT64_MAX});
  b.ints("pads", {4}, {-1, 0, 1, 0});
  b.node("Slice", {"x", "last", "end"}, {"row"});
  b.node("Pad", {"row", "pads"}, {"y"});
  EXPECT_NE(placeholderOf(b, 1, 40), 0) << context.text;
}

TEST_F(OnnxRanges, TheIndexMinusOneIsTheLastPosition) {
  OnnxBuilder b = open(5);
  b.ints("last", {}, {-1});
  b.node("Gather", {"x", "last"}, {"y"});
  EXPECT_NE(placeholderOf(b, 1, 40), 0) << context.text;
  EXPECT_NE(placeholderOf(b, 3, 40), 0) << context.text;
}

} // namespace
