//===- size_numbers_test.cpp - numbers that are computed from sizes -------===//

#include "SizeNumbers.h"

#include "Notes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {
struct SizeNumbers : testing::Test {
  SizeNumbers() : b(&context), module(ModuleOp::create(b.getUnknownLoc())) {
    notes::sizes.set(*module, SizeRanges{{"m", 1, 8, 4001}, {"s", 1, 9, 3989}});
  }
  std::optional<SizeNumber> find(Attribute number) { return SizeNumber::find(Sizes(*module), number); }

  MLIRContext context;
  OpBuilder b;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(SizeNumbers, WhatIsDerivedIsASize) {
  const SizeExpression m = SizeExpression::size(0), s = SizeExpression::size(1);
  ASSERT_TRUE(succeeded(deriveSizes(*module, {m + s, m + 2})));
  Sizes sizes(*module);
  Extent extent = sizes.of(3 * 4001 * 4003);
  EXPECT_EQ(extent.sizes, (Strings{"m", "m + 2"}));
  EXPECT_EQ(extent.low, 3 * 1 * 3);
  EXPECT_EQ(extent.high, 3 * 8 * 10);
  EXPECT_EQ(sizes.at(extent, {5, 9}), 3 * 5 * 7);
  extent = sizes.of(-7990);
  EXPECT_EQ(sizes.at(extent, {5, 9}), -14);
  EXPECT_EQ(extent.low, -17);
  EXPECT_EQ(extent.high, -2);
  EXPECT_TRUE(sizes.of(7990 / 2).isFixed());
  EXPECT_EQ(sizes.find("m + 2"), 3);
  EXPECT_EQ(sizes.find("m + 3"), std::nullopt);
  EXPECT_EQ(sizes.count(), 4);
  EXPECT_EQ(sizes.expressionOf(2), m + s);
  EXPECT_EQ(sizes.expressionOf(1), s);
  EXPECT_EQ(sizes.derived().back().expression, m + 2);
  EXPECT_EQ(sizes.at(sizes.of(4003), {INT64_MAX, 1}), INT64_MAX);
  EXPECT_EQ(find(b.getI64IntegerAttr(7989))->plus, -1);
}

TEST_F(SizeNumbers, WhatIsDerivedHasBoundsOfItsOwn) {
  // The least and the largest are at no corner of the ranges.
  const SizeExpression m = SizeExpression::size(0), s = SizeExpression::size(1);
  ASSERT_TRUE(succeeded(deriveSizes(*module, {SizeExpression::mod(s, 8), SizeExpression::floorDiv(m, 2) + m * s})));
  Sizes sizes(*module);
  EXPECT_EQ(sizes.boundsOf(2).low, 0);
  EXPECT_EQ(sizes.boundsOf(2).high, 7);
  EXPECT_EQ(sizes.boundsOf(3).low, 1);
  EXPECT_EQ(sizes.boundsOf(3).high, 4 + 72);
  EXPECT_EQ(sizes.standsFor(3), 2000 + 4001 * 3989);
  EXPECT_EQ(sizes.at("(m floordiv 2) + m * s", {3, 5}), 16);
  EXPECT_TRUE(sizes.domain().isNegative(m + s - 3).where.size() == 2);
  // Files and importers may be wrong.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  for (const SizeExpression &none : {s - 2, SizeExpression::floorDiv(m, s - 3), m * INT64_MAX, SizeExpression::max(s - 3988, 1)})
    EXPECT_TRUE(failed(deriveSizes(*module, none)));
}

TEST_F(SizeNumbers, IntegersAreExtentsOrOneBeside) {
  for (int64_t plus : {-1, 0, 1}) {
    std::optional<SizeNumber> found = find(b.getI64IntegerAttr(2 * 4001 * 3989 + plus));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->extent.factor, 2);
    EXPECT_EQ(found->extent.sizes.size(), 2u);
    EXPECT_EQ(found->at(2 * 3 * 5, b.getI64Type()), b.getI64IntegerAttr(30 + plus));
  }
  EXPECT_EQ(find(b.getI64IntegerAttr(-4001))->extent.factor, -1);
  EXPECT_FALSE(find(b.getI64IntegerAttr(4001 + 2)));
  EXPECT_FALSE(find(b.getI64IntegerAttr(0)));
  EXPECT_FALSE(find(b.getI64IntegerAttr(INT64_MAX)));
  EXPECT_FALSE(find(b.getBoolAttr(true)));
  EXPECT_FALSE(find(b.getStringAttr("4001")));
  EXPECT_EQ(find(b.getI32IntegerAttr(4001))->at(128, b.getI8Type()), Attribute());
}

TEST_F(SizeNumbers, FloatsAreRoundedFromThemOrTheirInverse) {
  for (Type type : {Type(b.getF32Type()), Type(b.getF64Type())})
    for (double product : {1., 48., 4001., 48. * 4001}) { // the last have more digits than an f32
      std::optional<SizeNumber> number = find(b.getFloatAttr(type, product * 3989));
      std::optional<SizeNumber> inverse = find(FloatAttr::get(type, 1 / (product * 3989)));
      ASSERT_TRUE(number && inverse) << product;
      EXPECT_EQ(number->extent.number, int64_t(product) * 3989);
      EXPECT_FALSE(number->isInverse);
      EXPECT_EQ(inverse->extent.number, int64_t(product) * 3989);
      EXPECT_TRUE(inverse->isInverse);
      EXPECT_EQ(inverse->at(5, type), FloatAttr::get(type, 0.2));
      EXPECT_FALSE(number->isLike(*inverse));
    }
  EXPECT_EQ(find(b.getF32FloatAttr(4000))->at(7, b.getF32Type()), b.getF32FloatAttr(6));
  for (double none : {0.0, 1.0, -1.0, 0.5, 4001.5, std::sqrt(4001.), 1e-12, 1e30, double(INFINITY), double(NAN)})
    EXPECT_FALSE(find(b.getF64FloatAttr(none))) << none;
}

TEST_F(SizeNumbers, ConstantsAreTheSameEverywhere) {
  auto type = RankedTensorType::get({2}, b.getF32Type());
  EXPECT_EQ(find(DenseElementsAttr::get(type, 4001.f))->extent.factor, 1);
  EXPECT_FALSE(find(DenseElementsAttr::get(type, {4001.f, 4001.5f})));
}
