//===- ReduceSizes.cpp - reductions of size-dependent tensors -------------===//

#include "ReduceSizes.h"

#include "SizeScope.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of elements of a tensor with a formula that are reduced one by one.
static constexpr int64_t maxSummands = 64;

namespace {
/// The formula of a tensor's elements as a function of the index along one dimension. The tensor has a formula
/// (SizedTensor::isFormula).
class Along {
public:
  Along(const SizedTensor &tensor, unsigned axis)
      : formula(tensor.elements.front()), rank(unsigned(tensor.shape.size())), axis(axis), count(tensor.shape[axis]) {}

  /// Reduces along the dimension; returns nothing if the result cannot be expressed by sizes.
  std::optional<SizeExpression> reduce(SizeReduction kind) const;
  /// Returns the sum of the first `first` elements; nothing unless all consecutive elements differ by the same step.
  std::optional<SizeExpression> sumOf(const SizeExpression &first) const;

private:
  /// Returns the formula at index `place` of the dimension.
  SizeExpression at(const SizeExpression &place) const;
  std::optional<SizeExpression> elementByElement(SizeReduction kind) const;
  /// Whether an expression does not depend on the index along the dimension.
  bool isFixed(const SizeExpression &expression) const { return !llvm::is_contained(expression.places(), axis); }

  SizeExpression formula;
  unsigned rank, axis;
  Dim count;
};
} // namespace

SizeExpression Along::at(const SizeExpression &place) const {
  SmallVector<SizeExpression> places;
  for (unsigned i = 0; i < rank; ++i)
    places.push_back(i == axis ? place : SizeExpression::place(i));
  return formula.withPlaces(places);
}

static SizeExpression combine(SizeReduction kind, const SizeExpression &x, const SizeExpression &y) {
  switch (kind) {
  case SizeReduction::Sum:
    return x + y;
  case SizeReduction::Product:
    return x * y;
  case SizeReduction::Max:
    return SizeExpression::max(x, y);
  default:
    return SizeExpression::min(x, y);
  }
}

std::optional<SizeExpression> Along::sumOf(const SizeExpression &first) const {
  SizeExpression step = at(SizeExpression::place(axis) + 1) - formula;
  if (!isFixed(step))
    return std::nullopt;
  return at(0) * first + step * SizeExpression::floorDiv(first * (first - 1), 2);
}

/// Reduces one element after the other. An element is included only if its index is less than `count`; in a maximum or
/// minimum, the first element replaces each element that is not included. Returns nothing for a product, or if there
/// may be more than maxSummands elements.
std::optional<SizeExpression> Along::elementByElement(SizeReduction kind) const {
  if (kind == SizeReduction::Product || count.high() > maxSummands)
    return std::nullopt;
  SizeExpression n = count.asExpression(), none = kind == SizeReduction::Sum ? SizeExpression(0) : at(0);
  SizeExpression all = none;
  for (int64_t i = 0; i < count.high(); ++i) {
    SizeExpression isThere = i < count.low() ? SizeExpression(1) : SizeExpression::less(i, n);
    all = combine(kind, all, SizeExpression::select(isThere, at(i), none));
  }
  return all;
}

std::optional<SizeExpression> Along::reduce(SizeReduction kind) const {
  bool isSum = kind == SizeReduction::Sum;
  if (!isSum && count.low() < 1) // the extremum of zero elements has no expression
    return std::nullopt;
  if (kind == SizeReduction::Product)
    return isFixed(formula) && count.number() == 1 ? std::optional(formula) : std::nullopt;
  if (isSum)
    if (std::optional<SizeExpression> linear = sumOf(count.asExpression()))
      return linear;
  SizeExpression step = at(SizeExpression::place(axis) + 1) - formula;
  if (!isSum && isFixed(step))
    return combine(kind, at(0), at(count.asExpression() - 1));
  return elementByElement(kind);
}

/// Reduces a tensor that has an expression for each element.
static SizedTensor reduceList(const SizedTensor &tensor, ArrayRef<int64_t> axes, SizeReduction kind) {
  SmallVector<int64_t> from = *fixedNumbers(tensor.shape), kept = from;
  for (int64_t axis : axes)
    kept[axis] = 1;
  SmallVector<int64_t> strides = computeStrides(from), keptStrides = computeStrides(kept);
  SizedTensor result{SymbolicShape(kept.begin(), kept.end()), tensor.element, {}};
  std::vector<std::optional<SizeExpression>> all(size_t(llvm::product_of(kept)));
  for (auto [i, expression] : llvm::enumerate(tensor.elements)) {
    int64_t left = int64_t(i), place = 0;
    for (size_t dim = 0; dim < from.size(); left %= strides[dim++])
      place += kept[dim] == 1 ? 0 : left / strides[dim] * keptStrides[dim];
    auto &known = all[size_t(place)];
    known = known ? combine(kind, *known, expression) : expression;
  }
  for (auto &expression : all)
    result.elements.push_back(SizeScope::current()->domain().simplify(*expression));
  return result;
}

/// Returns the result, or nothing if its elements are booleans or might not fit into their integer type.
static std::optional<SizedTensor> ifItFits(const SizedTensor &result) {
  std::optional<SizeBounds> bounds = result.bounds();
  unsigned width = result.element.getWidth();
  bool fits = bounds && width > 1 && llvm::isIntN(width, bounds->low) && llvm::isIntN(width, bounds->high);
  return fits ? std::optional(result) : std::nullopt;
}

std::optional<SizedTensor> heddle::reduceSizes(const SizedTensor &tensor, ArrayRef<int64_t> axes, SizeReduction kind) {
  if (tensor.elements.empty())
    return std::nullopt;
  SizedTensor result = tensor;
  if (!tensor.isFormula)
    result = reduceList(tensor, axes, kind);
  else
    for (int64_t axis : axes) {
      std::optional<SizeExpression> along = Along(result, unsigned(axis)).reduce(kind);
      if (!along)
        return std::nullopt;
      SymbolicShape shape = result.shape;
      shape[axis] = 1;
      result = SizedTensor::ofFormula(shape, tensor.element, *along);
      // The result is now small enough to have an expression for each element, so reduceList reduces the other axes.
      if (!result.isFormula && axis != axes.back())
        return reduceSizes(result, axes.drop_front(size_t(llvm::find(axes, axis) - axes.begin()) + 1), kind);
    }
  return ifItFits(result);
}

std::optional<SizedTensor> heddle::sumUpSizes(const SizedTensor &tensor, int64_t axis, bool isExclusive,
                                              bool isReverse) {
  if (!tensor.isFormula)
    return std::nullopt;
  Along along(tensor, unsigned(axis));
  SizeExpression place = SizeExpression::place(unsigned(axis)), before = isExclusive == isReverse ? place + 1 : place;
  std::optional<SizeExpression> sum = along.sumOf(before), all = along.sumOf(tensor.shape[axis].asExpression());
  if (!sum || !all)
    return std::nullopt;
  return ifItFits(SizedTensor::ofFormula(tensor.shape, tensor.element, isReverse ? *all - *sum : *sum));
}
