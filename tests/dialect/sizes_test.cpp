//===- sizes_test.cpp - sizes that each call provides ---------------------===//
//
// A module lists its sizes in ranges and the sizes that are derived from them. Types contain a placeholder for each of
// these sizes. Sizes maps a number in a type to a product of sizes.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"

#include "DerivedSizes.h"
#include "Notes.h"
#include "SizeDomain.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A module with the sizes m in 1..8 (placeholder 4001) and s in 1..9 (placeholder 3989).
struct SizesOfAModule : testing::Test {
  SizesOfAModule() : b(&context), module(ModuleOp::create(b.getUnknownLoc())) {
    notes::sizes.set(*module, SizeRanges{{"m", 1, 8, 4001}, {"s", 1, 9, 3989}});
  }

  MLIRContext context;
  OpBuilder b;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(SizesOfAModule, IncludeDerivedSizes) {
  const SizeExpression m = SizeExpression::size(0), s = SizeExpression::size(1);
  // The placeholders of m + s and m + 2 are the sums 7990 and 4003.
  ASSERT_TRUE(succeeded(deriveSizes(*module, {m + s, m + 2})));
  Sizes sizes(*module);
  Extent extent = sizes.of(3 * 4001 * 4003);
  EXPECT_EQ(extent.sizes(), ArrayRef<StringRef>({"m", "m + 2"}));
  EXPECT_EQ(extent.low(), 3 * 1 * 3);
  EXPECT_EQ(extent.high(), 3 * 8 * 10);
  EXPECT_EQ(sizes.at(extent, {5, 9}), 3 * 5 * 7);
  extent = sizes.of(-7990);
  EXPECT_EQ(sizes.at(extent, {5, 9}), -14);
  EXPECT_EQ(extent.low(), -17);
  EXPECT_EQ(extent.high(), -2);
  EXPECT_TRUE(sizes.of(7990 / 2).isFixed());
  EXPECT_EQ(sizes.find("m + 2"), 3);
  EXPECT_EQ(sizes.find("m + 3"), std::nullopt);
  EXPECT_EQ(sizes.count(), 4);
  EXPECT_EQ(sizes.expressionOf(2), m + s);
  EXPECT_EQ(sizes.expressionOf(1), s);
  EXPECT_EQ(derivedSizes(*module).back().expression, m + 2);
  // m + 2 overflows, and the result is the largest integer.
  EXPECT_EQ(sizes.at(sizes.of(4003), {INT64_MAX, 1}), INT64_MAX);
}

TEST_F(SizesOfAModule, StoreExactBoundsOfDerivedSizes) {
  // The minimum and maximum of s mod 8 are not at the ends of the range of s.
  const SizeExpression m = SizeExpression::size(0), s = SizeExpression::size(1);
  ASSERT_TRUE(succeeded(deriveSizes(*module, {SizeExpression::mod(s, 8), SizeExpression::floorDiv(m, 2) + m * s})));
  Sizes sizes(*module);
  EXPECT_EQ(sizes.boundsOf(2).low, 0);
  EXPECT_EQ(sizes.boundsOf(2).high, 7);
  EXPECT_EQ(sizes.boundsOf(3).low, 1);
  EXPECT_EQ(sizes.boundsOf(3).high, 4 + 72);
  EXPECT_EQ(sizes.placeholderFor(3), 2000 + 4001 * 3989);
  EXPECT_EQ(sizes.at("(m floordiv 2) + m * s", {3, 5}), 16);
  EXPECT_TRUE(sizes.domain().isNegative(m + s - 3).where.size() == 2);
  // Each of these expressions is refused: it is negative or has no value at some sizes, or its placeholder would be
  // less than 2.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  for (const SizeExpression &none : {s - 2, SizeExpression::floorDiv(m, s - 3), m * INT64_MAX, SizeExpression::max(s - 3988, 1)})
    EXPECT_TRUE(failed(deriveSizes(*module, none)));
}
