//===- constant_formula_test.cpp - formulas of integer constants ----------===//
//
// formulaOf finds an expression for the elements of an integer constant, such as a table of positions or a causal mask.
// If the shape of the constant depends on a size in a range, compiled code computes the elements from this expression.
//
//===----------------------------------------------------------------------===//

#include "../../compiler/import/sizes/ConstantFormula.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

struct ConstantFormula : testing::Test {
  MLIRContext context;
  OpBuilder b{&context};

  /// Returns whether formulaOf finds a formula for the tensor [2, rows, columns] with the elements at(i, row, column).
  /// If there is a formula, expects that it yields each of these elements.
  bool isDescribed(int64_t rows, int64_t columns, llvm::function_ref<int64_t(int64_t, int64_t, int64_t)> at) {
    SmallVector<int64_t> numbers;
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          numbers.push_back(at(i, row, column));
    auto type = RankedTensorType::get({2, rows, columns}, b.getI64Type());
    std::optional<SizeExpression> formula = formulaOf(DenseElementsAttr::get(type, ArrayRef(numbers)));
    if (!formula)
      return false;
    SizeEvaluator evaluator(*formula);
    for (int64_t place = 0; place < int64_t(numbers.size()); ++place)
      EXPECT_EQ(evaluator.at({}, {place / (rows * columns), place / columns % rows, place % columns}), numbers[place]);
    return true;
  }
};

TEST_F(ConstantFormula, AffineFunctionsOfTheIndicesHaveAFormula) {
  EXPECT_TRUE(isDescribed(3, 4, [](int64_t i, int64_t row, int64_t column) { return 7 - 2 * i + 5 * row + column; }));
  EXPECT_TRUE(isDescribed(1, 1, [](int64_t i, int64_t, int64_t) { return 9 * i; }));
}

TEST_F(ConstantFormula, TwoValuesOnBothSidesOfADiagonalHaveAFormula) {
  for (int64_t rows : {2, 3, 6})
    for (int64_t columns : {2, 4, 5})
      for (int64_t diagonal = -rows + 2; diagonal < columns - 1; ++diagonal)
        EXPECT_TRUE(isDescribed(rows, columns, [&](int64_t, int64_t row, int64_t column) {
          return column - row <= diagonal ? -3 : 8;
        })) << rows << " " << columns << " " << diagonal;
}

TEST_F(ConstantFormula, OtherConstantsHaveNoFormula) {
  EXPECT_FALSE(isDescribed(3, 3, [](int64_t, int64_t row, int64_t column) { return row * column; }));
  EXPECT_FALSE(isDescribed(3, 3, [](int64_t, int64_t row, int64_t column) { return std::abs(row - column) < 2; }));
  EXPECT_FALSE(isDescribed(3, 3, [](int64_t i, int64_t row, int64_t column) { return i ? row < column : row <= column; }));
  auto none = RankedTensorType::get({0, 3}, b.getI64Type());
  EXPECT_FALSE(formulaOf(DenseElementsAttr::get(none, ArrayRef<int64_t>())));
  // For booleans, the formula yields 1 for true, not -1.
  auto bools = RankedTensorType::get({2}, b.getI1Type());
  EXPECT_EQ(SizeEvaluator(*formulaOf(DenseElementsAttr::get(bools, {false, true}))).at({}, {1}), 1);
}

} // namespace
