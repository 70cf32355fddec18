//===- ConstantFormula.cpp - formulas of constants ------------------------===//

#include "ConstantFormula.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The elements of a non-empty constant in row-major order.
class Elements {
public:
  explicit Elements(DenseElementsAttr constant)
      : shape(constant.getType().getShape()), strides(computeStrides(shape)), count(constant.getNumElements()),
        values(constant.value_begin<APInt>()), isBool(constant.getElementType().isInteger(1)) {}

  /// Returns the element with the index `place` in row-major order.
  int64_t at(int64_t place) const {
    APInt value = *(values + place);
    return int64_t(isBool ? value.getZExtValue() : value.getSExtValue());
  }
  /// Whether each element equals the result of `expected` for the element's indices.
  bool are(function_ref<int64_t(ArrayRef<int64_t>)> expected) const {
    for (int64_t place = 0; place < count; ++place)
      if (at(place) != expected(delinearize(place, strides)))
        return false;
    return true;
  }

  ArrayRef<int64_t> shape;
  SmallVector<int64_t> strides;
  int64_t count;

private:
  DenseElementsAttr::IntElementIterator values;
  bool isBool;
};
} // namespace

/// Returns a formula for elements that change by a constant step along each dimension; nothing if the steps vary.
static std::optional<SizeExpression> findSteps(const Elements &elements) {
  int64_t first = elements.at(0);
  SmallVector<int64_t> steps;
  SizeExpression formula = first;
  for (auto [dim, extent] : llvm::enumerate(elements.shape)) {
    steps.push_back(extent > 1 ? elements.at(elements.strides[dim]) - first : 0);
    formula = formula + SizeExpression(steps.back()) * SizeExpression::place(unsigned(dim));
  }
  auto expected = [&](ArrayRef<int64_t> places) {
    int64_t number = first;
    for (auto [place, step] : llvm::zip_equal(places, steps))
      number += place * step;
    return number;
  };
  return elements.are(expected) ? std::optional(formula) : std::nullopt;
}

/// Returns a formula for elements that are one number up to a diagonal of the last two dimensions and another number
/// after it; nothing if the elements do not have this form.
static std::optional<SizeExpression> findTriangle(const Elements &elements) {
  size_t rank = elements.shape.size();
  if (rank < 2)
    return std::nullopt;
  int64_t rows = elements.shape[rank - 2], columns = elements.shape[rank - 1];
  int64_t upTo = elements.at((rows - 1) * columns), after = elements.at(columns - 1);
  if (upTo == after)
    return std::nullopt;
  // If the first row begins with `upTo`, the diagonal is the last column of this row with `upTo`. Otherwise it is minus
  // the number of leading rows that do not begin with `upTo`.
  int64_t diagonal = -1;
  while (elements.at(diagonal + 1) == upTo)
    ++diagonal;
  if (diagonal < 0)
    while (elements.at(-diagonal * columns) != upTo)
      --diagonal;
  auto expected = [&](ArrayRef<int64_t> places) {
    return places[rank - 1] - places[rank - 2] <= diagonal ? upTo : after;
  };
  if (!elements.are(expected))
    return std::nullopt;
  SizeExpression row = SizeExpression::place(unsigned(rank - 2)), column = SizeExpression::place(unsigned(rank - 1));
  SizeExpression isUpTo = SizeExpression::less(column, row + (diagonal + 1));
  return SizeExpression(after) + SizeExpression(upTo - after) * isUpTo;
}

std::optional<SizeExpression> heddle::formulaOf(DenseElementsAttr constant) {
  if (constant.empty())
    return std::nullopt;
  Elements elements(constant);
  if (std::optional<SizeExpression> steps = findSteps(elements))
    return steps;
  return findTriangle(elements);
}
