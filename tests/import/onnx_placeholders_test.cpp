//===- onnx_placeholders_test.cpp - placeholders differ from extents ------===//
//
// A placeholder is a number that represents a size (in a range) in types. It must differ from all fixed extents of a
// model, because otherwise an extent could be mistaken for the size.
//
//===----------------------------------------------------------------------===//

#include "OnnxRangesTest.h"

#include "llvm/Support/FormatVariadic.h"

using namespace heddle;

namespace {

using OnnxPlaceholders = OnnxRanges;

/// Appends nodes to a model with the input x [n, width]. They add the first n of the 32 rows of a table to x, so the
/// placeholder of n is at most 32. The value `rows` [2 n + 2, width] contains the sum twice, and two more rows.
OnnxBuilder tableOf(OnnxBuilder b, int64_t width) {
  b.floats("table", {32, width}, std::vector<float>(size_t(32 * width), 0.5));
  b.floats("two", {2, width}, std::vector<float>(size_t(2 * width), 1));
  b.node("Range", {"zero", "n", "one"}, {"positions"});
  b.node("Gather", {"table", "positions"}, {"some"});
  b.node("Add", {"x", "some"}, {"sum"});
  OnnxBuilder::set(b.node("Concat", {"sum", "sum", "two"}, {"rows"}), "axis", int64_t(0));
  return b;
}

TEST_F(OnnxPlaceholders, DifferFromTheWidthOfTheInput) {
  // There are few possible placeholders of n. For each of them, 2 n + 2 equals one of these widths.
  for (int64_t width = 6; width <= 70; ++width) {
    OnnxBuilder b = tableOf(open(width), width);
    b.floats("scale", {width}, std::vector<float>(size_t(width), 1));
    b.node("LayerNormalization", {"rows", "scale"}, {"y"});
    int64_t placeholder = placeholderOf(b, 1, 24);
    ASSERT_NE(placeholder, 0) << width << ": " << context.take();
    EXPECT_NE(2 * placeholder + 2, width);
  }
}

TEST_F(OnnxPlaceholders, DifferFromExtentsOfUnusedConstants) {
  // The result y is the sum of the rows and of the length of a constant. The imported model contains this length, but
  // not the constant.
  for (int64_t length = 6; length <= 70; ++length) {
    OnnxBuilder b = tableOf(open(5), 5);
    b.floats("constant", {length}, std::vector<float>(size_t(length), 1));
    b.node("Shape", {"constant"}, {"length"});
    OnnxBuilder::set(b.node("Cast", {"length"}, {"number"}), "to", int64_t(onnx::TensorProto::FLOAT));
    b.node("Add", {"rows", "number"}, {"y"});
    options = {};
    options.ranges = {{"n", 1, 24}};
    EXPECT_HAS(textOf(b), llvm::formatv("{0:e}", double(length)).str());
  }
}

} // namespace
