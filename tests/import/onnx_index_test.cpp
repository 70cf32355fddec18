//===- onnx_index_test.cpp - indices of Gather and its variants -----------===//
//
// An index out of range must be an error, not an access outside of a tensor. If the index is an input, the importer
// adds the annotation heddle.range, and each call checks the input. If the index is computed and may be out of range,
// the importer adds the operation heddle.checked_index, which checks the index during the call.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::TensorProto;

namespace {

using Doubles = std::vector<double>;

struct OnnxIndex : OnnxTest {
  /// Returns a model with the constant `t` [4, 2], whose elements are 0, 1, ..., and the input `ids` [3].
  OnnxBuilder table(int32_t type = TensorProto::INT64) {
    OnnxBuilder b;
    b.input("ids", {3}, type);
    b.floats("t", {4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
    b.output("y");
    return b;
  }
};

TEST_F(OnnxIndex, InputsThatAreIndicesGetARange) {
  OnnxBuilder b = table();
  b.node("Gather", {"t", "ids"}, {"y"});
  EXPECT_HAS(textOf(b), "heddle.range = array<i64: -4, 3>");
  EXPECT_EQ(numbers(run(b, {{"ids", {3, 0, -4}}}).at("y")), (Doubles{6, 7, 0, 1, 0, 1}));

  // The smaller of two tables determines the range, even if a cast and a reshape are applied to the index into it.
  b = table(TensorProto::INT32);
  b.floats("s", {2}, {10, 20});
  OnnxBuilder::set(b.node("Cast", {"ids"}, {"wide"}), "to", int64_t(TensorProto::INT64));
  OnnxBuilder::set(b.node("Flatten", {"wide"}, {"flat"}), "axis", int64_t(0));
  b.node("Gather", {"s", "flat"}, {"z"});
  b.node("Gather", {"t", "ids"}, {"y"});
  b.output("z");
  EXPECT_HAS(textOf(b), "heddle.range = array<i64: -2, 1>");
}

TEST_F(OnnxIndex, InputsMayBeCastToI32) {
  OnnxBuilder b = table();
  // ONNX Runtime's optimizer writes such casts.
  OnnxBuilder::set(b.node("Cast", {"ids"}, {"narrow"}), "to", int64_t(TensorProto::INT32));
  b.node("Gather", {"t", "narrow"}, {"y"});
  EXPECT_HAS(textOf(b), "heddle.range = array<i64: -4, 3>");
  EXPECT_EQ(numbers(run(b, {{"ids", {3, 0, -1}}}).at("y")), (Doubles{6, 7, 0, 1, 6, 7}));
}

TEST_F(OnnxIndex, ComputedIndicesThatAreInsideAreNotChecked) {
  // Positions are computed as in RoBERTa: cumsum(ids != 1) * (ids != 1).
  OnnxBuilder b = table();
  b.ints("pad", {}, {1});
  b.ints("axis", {}, {0});
  b.node("Equal", {"ids", "pad"}, {"isPad"});
  b.node("Not", {"isPad"}, {"real"});
  OnnxBuilder::set(b.node("Cast", {"real"}, {"one"}), "to", int64_t(TensorProto::INT64));
  b.node("CumSum", {"one", "axis"}, {"count"});
  b.node("Mul", {"count", "one"}, {"position"});
  b.node("Gather", {"t", "position"}, {"y"});
  EXPECT_FALSE(llvm::StringRef(textOf(b)).contains("heddle.range"));
  EXPECT_EQ(numbers(run(b, {{"ids", {9, 1, 9}}}).at("y")), (Doubles{2, 3, 0, 1, 4, 5}));

  b = table(); // the indices are clamped
  b.ints("low", {}, {0});
  b.ints("high", {}, {3});
  b.node("Max", {"ids", "low"}, {"atLeast"});
  b.node("Min", {"atLeast", "high"}, {"inside"});
  b.node("Gather", {"t", "inside"}, {"y"});
  EXPECT_EQ(numbers(run(b, {{"ids", {9, -9, 1}}}).at("y")), (Doubles{6, 7, 0, 1, 2, 3}));

  b = table(); // all indices are at most -5, and -4 is the lowest valid index
  b.ints("high", {}, {-5});
  b.node("Min", {"ids", "high"}, {"below"});
  b.node("Gather", {"t", "below"}, {"y"});
  EXPECT_HAS(errorOf(b), "all outside the extent of 4");
}

TEST_F(OnnxIndex, OtherComputedIndicesAreChecked) {
  OnnxBuilder b = table();
  b.ints("two", {}, {2});
  b.node("Sub", {"ids", "two"}, {"less"});
  b.node("Gather", {"t", "less"}, {"y"});
  EXPECT_HAS(textOf(b), "heddle.checked_index");
  EXPECT_FALSE(llvm::StringRef(textOf(b)).contains("heddle.range"));
  EXPECT_EQ(numbers(run(b, {{"ids", {5, 1, -2}}}).at("y")), (Doubles{6, 7, 6, 7, 0, 1}));
  EXPECT_HAS(runErrorOf(b, {{"ids", {5, 6, -2}}}), "computes index 4, which is out of range for an extent of 4");
  EXPECT_HAS(runErrorOf(b, {{"ids", {5, 5, -3}}}), "computes index -5, which is out of range for an extent of 4");

  // If the result of the lookup has no uses, the lookup and its check are removed.
  b.node("Identity", {"t"}, {"z"});
  b.graph().mutable_output(0)->set_name("z");
  EXPECT_FALSE(llvm::StringRef(textOf(b)).contains("heddle.checked_index"));

  // All elements of this table are equal, but an invalid index is an error nevertheless.
  b = table();
  b.floats("same", {4, 2}, {3, 3, 3, 3, 3, 3, 3, 3});
  b.node("Mul", {"ids", "ids"}, {"square"});
  b.node("Gather", {"same", "square"}, {"y"});
  EXPECT_HAS(runErrorOf(b, {{"ids", {0, 1, 2}}}), "computes index 4");
}

TEST_F(OnnxIndex, IndicesOfGatherNDAndGatherElementsAreChecked) {
  OnnxBuilder b;
  b.input("x", {2, 3});
  b.input("i", {2, 2}, TensorProto::INT64);
  b.output("tuples");
  b.output("elements");
  b.node("Add", {"i", "i"}, {"twice"});
  b.node("GatherND", {"x", "twice"}, {"tuples"});
  OnnxBuilder::set(b.node("GatherElements", {"x", "twice"}, {"elements"}), "axis", int64_t(1));
  auto results = run(b, {{"i", {0, 1, -1, -1}}});
  EXPECT_EQ(numbers(results.at("tuples")), (Doubles{3, 2}));
  EXPECT_EQ(numbers(results.at("elements")), (Doubles{1, 3, 5, 5}));
  // The tuple is (2, -2). Its index 2 is out of range, although 2 * 3 - 2 = 4 is an offset inside the tensor.
  EXPECT_HAS(runErrorOf(b, {{"i", {1, -1, 0, 0}}}), "computes index 2, which is out of range for an extent of 2");
}

TEST_F(OnnxIndex, ConstantIndicesBecomeSlices) {
  auto gather = [&](const OnnxBuilder::Dims &dims, const std::vector<int64_t> &indices, int64_t axis = 0) {
    OnnxBuilder b;
    b.input("x", {4, 2});
    b.ints("i", dims, indices);
    b.output("y");
    OnnxBuilder::set(b.node("Gather", {"x", "i"}, {"y"}), "axis", axis);
    return b;
  };
  EXPECT_HAS(textOf(gather({2}, {1, 2})), "tensor.extract_slice %arg0[1, 0] [2, 2] [1, 1]");
  EXPECT_HAS(textOf(gather({2}, {0, -2})), "tensor.extract_slice %arg0[0, 0] [2, 2] [2, 1]");
  EXPECT_HAS(textOf(gather({}, {1}, -1)), "tensor.extract_slice %arg0[0, 1] [4, 1] [1, 1]");
  EXPECT_HAS(textOf(gather({4, 1}, {0, 1, 2, 3})), "tensor.expand_shape %arg0");
  EXPECT_HAS(textOf(gather({2, 4}, {0, 1, 2, 3, 0, 1, 2, 3})), "linalg.broadcast ins(%arg0");
  EXPECT_HAS(textOf(gather({2, 2}, {3, 3, 3, 3})), "tensor.extract_slice %arg0[3, 0] [1, 2] [1, 1]");
  OnnxBuilder disorder = gather({3}, {2, 0, 3});
  EXPECT_HAS(textOf(disorder), "tensor.extract %arg0");
  EXPECT_EQ(numbers(run(disorder).at("y")), (Doubles{5, 6, 1, 2, 7, 8}));
  EXPECT_EQ(numbers(run(gather({2, 2}, {2, 2, 3, 3})).at("y")), (Doubles{5, 6, 5, 6, 7, 8, 7, 8}));
  EXPECT_EQ(numbers(run(gather({2}, {3, 2})).at("y")), (Doubles{7, 8, 5, 6}));
  EXPECT_HAS(errorOf(gather({1}, {4})), "index 4 is out of range for an extent of 4");
  EXPECT_HAS(errorOf(gather({1}, {-5})), "index -5 is out of range for an extent of 4");
}

TEST_F(OnnxIndex, ComputesGatherNDAndGatherElements) {
  OnnxBuilder b;
  b.input("x", {2, 3});
  b.input("i", {2, 2}, TensorProto::INT64);
  b.ints("known", {2, 1, 3, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2});
  for (const char *name : {"mask", "tuples", "elements"})
    b.output(name);
  b.node("GatherND", {"x", "known"}, {"mask"});
  b.node("GatherND", {"x", "i"}, {"tuples"});
  OnnxBuilder::set(b.node("GatherElements", {"x", "i"}, {"elements"}), "axis", int64_t(1));
  EXPECT_HAS(textOf(b), "tensor.expand_shape %arg0"); // the constant tuples select all elements in order
  auto results = run(b, {{"i", {1, -1, 0, 0}}});
  EXPECT_EQ(numbers(results.at("mask")), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbers(results.at("tuples")), (Doubles{6, 1}));
  EXPECT_EQ(numbers(results.at("elements")), (Doubles{2, 3, 4, 4}));
}

} // namespace
