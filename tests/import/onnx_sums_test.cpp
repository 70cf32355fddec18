//===- onnx_sums_test.cpp - models with dimensions that are sums ----------===//
//
// A size may be the sum of others, such as past + new. It is a derived size: it has a placeholder of its own, which
// represents it in types, and the code computes it from the other sizes.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

#include "Notes.h"

using namespace heddle;

namespace {

struct OnnxSums : OnnxTest {};

/// Returns the model concat(x, z) + m, where x is [past, 3], z is [new, 3], and m is [total, 1]. `sum` is the name of
/// the dimension `total` in the file, such as "past + new".
OnnxBuilder concatenated(const char *sum) {
  OnnxBuilder b;
  auto open = [&](const char *name, OnnxBuilder::Dims dims, const char *size) {
    auto &port = b.input(name, dims);
    port.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(size);
  };
  open("x", {1, 3}, "past");
  open("z", {1, 3}, "new");
  open("m", {1, 1}, sum);
  OnnxBuilder::set(b.node("Concat", {"x", "z"}, {"all"}), "axis", int64_t(0));
  b.node("Add", {"all", "m"}, {"y"});
  b.output("y");
  return b;
}

TEST_F(OnnxSums, ASumOfSizesIsASize) {
  options.ranges = {{"new", 1, 8}, {"past", 1, 64}};
  mlir::FailureOr<Model> model = import(concatenated("past + new"));
  ASSERT_TRUE(succeeded(model)) << context.text;
  auto placeholdersOf = [](const Model &model) {
    std::vector<int64_t> placeholders;
    SizeRanges ranges = *notes::sizes.get(*model.module);
    for (const SizeRange &size : ranges)
      placeholders.push_back(size.placeholder);
    DerivedSizeNotes derived = *notes::derived.get(*model.module);
    EXPECT_EQ(derived.size(), 1u);
    EXPECT_EQ(derived[0].name, "past + new"); // in the order of the inputs
    EXPECT_EQ(derived[0].placeholder, placeholders[0] + placeholders[1]);
    EXPECT_EQ(derived[0].low, 2);
    EXPECT_EQ(derived[0].high, 72);
    placeholders.push_back(derived[0].placeholder);
    return placeholders;
  };
  std::vector<int64_t> first = placeholdersOf(*model);
  for (int placeholderSet = 1; placeholderSet < SizeOptions::choices; ++placeholderSet) {
    SizeOptions sizes;
    sizes.placeholderSet = placeholderSet;
    mlir::FailureOr<Model> other = model->importAgain(sizes);
    ASSERT_TRUE(succeeded(other)) << context.text;
    // The importer can choose several sets of placeholders. In each other set, all placeholders are less than in the
    // first one. The compilation with the set 0 is compared with the compilation with the set 1, to find numbers that
    // depend on sizes. A placeholder must not be even in both sets, because then code could assume an even size.
    for (auto [one, two] : llvm::zip_equal(first, placeholdersOf(*other))) {
      EXPECT_LT(two, one);
      EXPECT_TRUE(placeholderSet != 1 || one % 2 || two % 2);
    }
  }
}

TEST_F(OnnxSums, ThePlaceholderOfASumIsAtMostTheLengthOfATable) {
  OnnxBuilder b = concatenated("past + new");
  b.floats("table", {72, 1}, std::vector<float>(72, 0.5));
  b.ints("zero", {1}, {0});
  b.ints("first", {1}, {0});
  b.node("Shape", {"y"}, {"shape"});
  b.node("Gather", {"shape", "first"}, {"n"});
  b.node("Slice", {"table", "zero", "n"}, {"rows"});
  b.node("Add", {"y", "rows"}, {"w"});
  b.output("w");
  options.ranges = {{"new", 1, 8}, {"past", 1, 64}};
  mlir::FailureOr<Model> model = import(b);
  ASSERT_TRUE(succeeded(model)) << context.text;
  EXPECT_LE(notes::derived.get(*model->module)->front().placeholder, 72);
}

TEST_F(OnnxSums, AShortTableOfPositionsLeavesTwoSetsOfPlaceholders) {
  // The keys of a call get the positions past to past + new - 1 of a table of 24 rows. Groups of heads share the keys,
  // which are expanded to a tensor of rank 5; this rank must not be mistaken for a size. MLIR also verifies that slices
  // of the table lie within its rows if sizes are replaced by their placeholders. With so few rows, there are no two
  // sets of placeholders for which they do. The imported model therefore has no slices: it computes the positions in
  // each call and looks up one row after the other.
  OnnxBuilder b;
  for (auto [name, rows] : {std::pair("before", "past"), std::pair("k", "new")}) {
    auto &shape = *b.input(name, {1, 2, 1, 8}).mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.mutable_dim(0)->set_dim_param("batch");
    shape.mutable_dim(2)->set_dim_param(rows);
  }
  auto ints = [&](const char *name, std::vector<int64_t> values) { b.ints(name, {int64_t(values.size())}, values); };
  b.ints("two", {}, {2});
  b.ints("one", {}, {1});
  ints("axis", {2});
  ints("begin", {0});
  ints("end", {4});
  b.floats("table", {24, 8}, std::vector<float>(24 * 8, 0.5f));
  for (const char *name : {"before", "k"}) {
    b.node("Shape", {name}, {std::string(name) + "_shape"});
    b.node("Gather", {std::string(name) + "_shape", "two"}, {std::string(name) + "_rows"});
  }
  b.node("Add", {"before_rows", "k_rows"}, {"after"});
  b.node("Range", {"before_rows", "after", "one"}, {"positions"});
  b.node("Gather", {"table", "positions"}, {"rows"});
  b.node("Add", {"k", "rows"}, {"placed"});
  OnnxBuilder::set(b.node("Concat", {"before", "placed"}, {"all"}), "axis", int64_t(2));
  b.node("Shape", {"all"}, {"shape"});
  b.node("Slice", {"shape", "begin", "axis"}, {"head"});
  b.node("Slice", {"shape", "axis", "end"}, {"tail"});
  OnnxBuilder::set(b.node("Concat", {"head", "axis", "tail"}, {"wide"}), "axis", int64_t(0));
  b.node("Unsqueeze", {"all", "axis"}, {"apart"});
  b.node("Expand", {"apart", "wide"}, {"y"});
  b.output("y");
  for (auto ranges : {std::vector<DimRange>{{"batch", 2, 3}, {"past", 0, 1}, {"new", 1, 4}},
                      std::vector<DimRange>{{"batch", 1, 3}, {"past", 0, 3}, {"new", 3, 3}},
                      std::vector<DimRange>{{"batch", 1, 3}, {"past", 0, 6}, {"new", 1, 4}}}) {
    options = {};
    options.ranges = ranges;
    mlir::FailureOr<Model> model = import(b);
    ASSERT_TRUE(succeeded(model)) << context.take();
    SizeOptions sizes;
    sizes.placeholderSet = 1;
    EXPECT_TRUE(succeeded(model->importAgain(sizes))) << context.take();
  }
}

TEST_F(OnnxSums, NamesOfDimensionsMayBeSums) {
  options.dims = {{"new", 2}, {"past", 5}};
  for (const char *sum : {"past + new", "past+new", "new+past", "past + 2", "past+new+0"})
    EXPECT_HAS(textOf(concatenated(sum)), "tensor<7x1xf32>");
  EXPECT_EQ(errorOf(concatenated("past - new")),
            "the model leaves sizes open: past - new; give them, for example --dim 'past - new=16'\n");
  EXPECT_EQ(errorOf(concatenated("past + old")),
            "the model leaves sizes open: past + old; give them, for example --dim 'past + old=16'\n");
  options.dims["past + old"] = 7;
  EXPECT_HAS(textOf(concatenated("past + old")), "tensor<7x1xf32>");
  options.dims = {{"new", 2}, {"past", 5}, {"past + new", 8}};
  EXPECT_EQ(errorOf(concatenated("past + new")), "past + new is 7 in this model, the sum of other sizes, not 8\n");
}

TEST_F(OnnxSums, TermsMayBeZero) {
  options.ranges = {{"past", 0, 8}, {"new", 1, 4}};
  OnnxBuilder b = concatenated("past + new");
  EXPECT_TRUE(succeeded(import(b))) << context.text;
  b.node("ReduceSum", {"x"}, {"sum"});
  b.output("sum");
  b.node("Relu", {"x"}, {"w"});
  b.output("w");
  EXPECT_TRUE(succeeded(import(b))) << context.text;
  // A fixed size may also be 0, but ReduceSum over an empty dimension of fixed size is refused.
  options.ranges.clear();
  options.dims = {{"past", 0}, {"new", 3}};
  EXPECT_TRUE(succeeded(import(concatenated("past + new")))) << context.take();
  EXPECT_HAS(errorOf(b), "(ReduceSum, opset 17): an operand without elements is not supported");
}

TEST_F(OnnxSums, ADimensionOfAnotherNameMayBeASum) {
  // The dimension `total` of m is past + new, because the concatenation [past + new, 3] is multiplied by m [total, 3].
  auto build = [&](const char *operand) {
    OnnxBuilder b;
    auto name = [&](const char *input, const char *dim) {
      auto &port = b.input(input, {1, 3});
      port.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(dim);
    };
    name("x", "past");
    name("z", "new");
    name("m", "total");
    OnnxBuilder::set(b.node("Concat", {"x", "z"}, {"all"}), "axis", int64_t(0));
    b.node("Mul", {"all", operand}, {"y"});
    b.output("y");
    b.node("Neg", {"m"}, {"other"});
    b.output("other");
    return b;
  };
  options.ranges = {{"past", 1, 40}, {"new", 1, 8}};
  mlir::FailureOr<Model> model = import(build("m"));
  ASSERT_TRUE(succeeded(model)) << context.text;
  auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_EQ(notes::dims.get(main, 2)->front(), "past + new");
  options = {};
  options.dims["past"] = 4;
  options.dims["new"] = 2;
  model = import(build("m"));
  ASSERT_TRUE(succeeded(model)) << context.text;
  main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_EQ(mlir::cast<mlir::RankedTensorType>(main.getArgumentTypes()[2]).getDimSize(0), 6);
  EXPECT_EQ(context.take(), "");
  // A term may be 0. In this case, `total` equals the other term, whether it is fixed or lies in a range.
  options.dims["past"] = 0;
  options.mayBeEmpty = true;
  model = import(build("m"));
  ASSERT_TRUE(succeeded(model)) << context.text;
  main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_EQ(mlir::cast<mlir::RankedTensorType>(main.getArgumentTypes()[2]).getDimSize(0), 2);
  options.dims.erase("new");
  options.ranges = {{"new", 2, 8}};
  model = import(build("m"));
  ASSERT_TRUE(succeeded(model)) << context.text;
  main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_EQ(notes::dims.get(main, 2)->front(), "new");
  options.dims["new"] = 2;
  options.ranges.clear();
  // A size that no operation relates to other sizes may have any value.
  EXPECT_TRUE(failed(import(build("all"))));
  EXPECT_HAS(context.take(), "the model leaves sizes open: total; give them");
}

} // namespace
