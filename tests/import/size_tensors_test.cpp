//===- size_tensors_test.cpp - integer tensors that depend on sizes -------===//
//
// A model may compute integers from a size, for example positions, sums of positions, or a quotient that is rounded.
// The importer finds expressions of the size for these integers. An expression must be right at all sizes.
//
//===----------------------------------------------------------------------===//

#include "../../compiler/import/sizes/FloatsOfSizes.h"
#include "../../compiler/import/sizes/ReduceSizes.h"
#include "../../compiler/import/sizes/SizeScope.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

using E = SizeExpression;
const E extent = E::size(0), place = E::place(0); // the size s, and the index of an element in dimension 0

/// A fixture with one size, s in 1..200, whose placeholder is 4001.
class SizeTensors : public testing::Test {
protected:
  static constexpr int64_t high = 200;

  SizeTensors() : scope({{"s", {1, high}, 4001}}), b(UnknownLoc::get(&context), &context) {
    context.loadDialect<arith::ArithDialect, math::MathDialect, HeddleDialect>();
    module = ModuleOp::create(b.getLoc());
    b.setInsertionPointToEnd(module->getBody());
  }

  /// Returns the tensor [s] whose elements the formula describes.
  SizedTensor table(const E &formula) { return SizedTensor::ofFormula({Dim(extent)}, b.getI64Type(), formula); }
  /// Emits operations that convert an integer to the float type `type`.
  Value real(const E &number, Type type) {
    Value integer = SizedTensor{{}, b.getI64Type(), {number}}.emit(b);
    return arith::SIToFPOp::create(b, RankedTensorType::get({}, type), integer);
  }
  Value constant(double number, Type type) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(RankedTensorType::get({}, type), Attribute(b.getFloatAttr(type, number))));
  }
  /// Truncates a float to an integer, and returns an expression for this integer if there is one.
  std::optional<SizedTensor> cut(Value value) {
    return integersOfFloats(arith::FPToSIOp::create(b, RankedTensorType::get({}, b.getI64Type()), value));
  }

  MLIRContext context;
  SizeScope scope;
  ImplicitLocOpBuilder b;
  OwningOpRef<ModuleOp> module;
};

/// Expects that the tensor has one element, whose value is number(s) at each size s from 1 to `high`.
void expectIs(const std::optional<SizedTensor> &tensor, int64_t high, function_ref<int64_t(int64_t)> number) {
  ASSERT_TRUE(tensor && tensor->elements.size() == 1);
  for (int64_t size = 1; size <= high; ++size)
    EXPECT_EQ(SizeEvaluator(tensor->elements.front()).at({size}), number(size)) << "at s=" << size;
}

TEST_F(SizeTensors, SumsOfAffineElementsHaveAFormula) {
  auto sum = reduceSizes(table(place * 3 + 1), 0, SizeReduction::Sum);
  expectIs(sum, high, [](int64_t size) { return 3 * size * (size - 1) / 2 + size; });
}

TEST_F(SizeTensors, MinimumAndMaximumOfAffineElementsHaveAFormula) {
  expectIs(reduceSizes(table(extent - place), 0, SizeReduction::Max), high, [](int64_t size) { return size; });
  expectIs(reduceSizes(table(extent - place), 0, SizeReduction::Min), high, [](int64_t size) { return 1; });
}

TEST_F(SizeTensors, SumsOfOtherElementsHaveNoFormula) {
  EXPECT_FALSE(reduceSizes(table(E::floorDiv(place, 2)), 0, SizeReduction::Sum));
}

TEST_F(SizeTensors, CumulativeSumsHaveAFormula) {
  for (bool isExclusive : {false, true})
    for (bool isReverse : {false, true}) {
      auto sums = sumUpSizes(table(place + 2), 0, isExclusive, isReverse);
      ASSERT_TRUE(sums);
      SizeEvaluator formula(sums->elements.front());
      for (int64_t size : {1, 2, 7})
        for (int64_t i = 0; i < size; ++i) {
          int64_t sum = 0;
          for (int64_t j = 0; j < size; ++j)
            if ((isReverse ? j > i : j < i) || (j == i && !isExclusive))
              sum += j + 2;
          EXPECT_EQ(formula.at({size}, {i}), sum);
        }
    }
}

TEST_F(SizeTensors, ExpressionsAreSimplifiedIfEqualAtAllSizes) {
  // The two conditions exclude each other.
  EXPECT_EQ(Dim(E::less(extent, 3) * E::less(5, extent) * extent + 1).number(), 1);
  // where(s < 2, 1, s) equals s at all sizes s >= 1.
  EXPECT_EQ(Dim(extent + E::less(extent, 2) * (1 - extent)).asExpression(), extent);
  // where(s < 3, 1, s) differs from s at s = 2.
  EXPECT_NE(Dim(extent + E::less(extent, 3) * (1 - extent)).asExpression(), extent);
}

TEST_F(SizeTensors, RoundedQuotientsAreIntegers) {
  Type f32 = b.getF32Type();
  Value third = arith::DivFOp::create(b, real(extent - 100, f32), constant(3, f32));
  Value down = math::FloorOp::create(b, third), up = math::CeilOp::create(b, third);
  expectIs(cut(down), high, [](int64_t size) { return int64_t(std::floor((size - 100) / 3.0)); });
  expectIs(cut(up), high, [](int64_t size) { return int64_t(std::ceil((size - 100) / 3.0)); });
  expectIs(cut(third), high, [](int64_t size) { return (size - 100) / 3; });
}

TEST_F(SizeTensors, TruncatedSquareRootsAreIntegers) {
  expectIs(cut(math::SqrtOp::create(b, real(extent, b.getF32Type()))), high,
           [](int64_t size) { return int64_t(std::sqrt(double(size))); });
  // The expression of a truncated square root counts the squares that are at most the number. Here all numbers exceed
  // 10000, so the first 100 squares are a constant summand, and only larger squares are compared.
  expectIs(cut(math::SqrtOp::create(b, real(extent + 10000, b.getF32Type()))), high,
           [](int64_t size) { return int64_t(std::sqrt(double(size + 10000))); });
}

TEST_F(SizeTensors, InexactFloatsAreNotIntegers) {
  Type f16 = b.getF16Type(), f32 = b.getF32Type();
  EXPECT_FALSE(cut(real(extent * 1000, f16))); // f16 does not represent these numbers exactly
  EXPECT_FALSE(
      cut(arith::MulFOp::create(b, real(extent, f32), constant(0.1, f32)))); // not a quotient of small integers
  EXPECT_FALSE(cut(math::LogOp::create(b, real(extent, f32))));
}

TEST_F(SizeTensors, ComparisonsOfQuotientsAreBooleans) {
  Type f32 = b.getF32Type();
  Value half = arith::DivFOp::create(b, real(extent, f32), constant(4, f32));
  auto isLess = integersOfFloats(arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, half, constant(10.5, f32)));
  expectIs(isLess, high, [](int64_t size) { return size / 4.0 < 10.5; });
}

} // namespace
