//===- FloatsOfSizes.cpp - integers computed as floats --------------------===//

#include "FloatsOfSizes.h"

#include "ReduceSizes.h"
#include "SizeScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
/// The elements of a float tensor as quotients `top` / `bottom` of integers, or as square roots of `top`.
struct Quotient {
  SizedTensor top;
  int64_t bottom = 1;
  bool isRounded = false; // whether the quotient was rounded once to the nearest float
  bool isRoot = false;    // whether the elements are the square roots of `top`
};
} // namespace

/// Returns the largest n such that the element type of `value` represents all integers from 0 to n exactly.
static int64_t exactUpTo(Value value) {
  return int64_t(1) << cast<FloatType>(getElementTypeOrSelf(value.getType())).getFPMantissaWidth();
}

using Combine = function_ref<SizeExpression(const SizeExpression &, const SizeExpression &)>;

/// Applies `f` to the elements of two tensors. Returns nothing if only one of them is given by a formula, or if they
/// have different numbers of elements.
static std::optional<SizedTensor> combine(const SizedTensor &a, const SizedTensor &b, Combine f) {
  if (a.elements.size() != b.elements.size() || a.isFormula != b.isFormula)
    return std::nullopt;
  SizedTensor result = a;
  SmallVector<SizeBounds> places = a.isFormula ? a.placeBounds() : SmallVector<SizeBounds>();
  for (auto [element, other] : llvm::zip_equal(result.elements, b.elements))
    element = SizeScope::current()->domain().simplify(f(element, other), places);
  return result;
}

static SizedTensor mapped(const SizedTensor &a, function_ref<SizeExpression(const SizeExpression &)> f) {
  return *combine(a, a, [&](const SizeExpression &x, const SizeExpression &) { return f(x); });
}

static SizedTensor times(const SizedTensor &a, int64_t number) {
  return mapped(a, [&](const SizeExpression &x) { return x * SizeExpression(number); });
}

/// Whether all elements are from -maximum to maximum at all sizes.
static bool isWithin(const SizedTensor &tensor, int64_t maximum) {
  std::optional<SizeBounds> bounds = tensor.bounds();
  return bounds && bounds->low >= -maximum && bounds->high <= maximum;
}

/// Returns the value of a constant whose elements are all equal; otherwise nothing.
static std::optional<APFloat> splatOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

/// If the elements of a constant are all equal and finite, returns them as a quotient of integers. Returns nothing for
/// other values, and if the integers would be too large.
static std::optional<Quotient> ofConstant(Value value) {
  std::optional<APFloat> number = splatOf(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!number || !number->isFinite())
    return std::nullopt;
  bool isLossy;
  APFloat wide = *number;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isLossy);
  double top = wide.convertToDouble();
  for (int64_t bottom = 1; bottom <= 1 << 10; bottom *= 2, top *= 2)
    if (top == std::trunc(top) && std::abs(top) <= 1 << 24) {
      auto element = IntegerType::get(value.getContext(), 64);
      return Quotient{SizedTensor::ofFormula(dimsOf(type), element, int64_t(top)), bottom};
    }
  return std::nullopt;
}

/// Returns the elements of a float tensor as quotients; nothing if they are unknown. The function follows operands from
/// `value` backwards and visits at most `left` operations; an operation whose result is used twice is visited twice.
static std::optional<Quotient> quotientOf(Value value, int &left);

/// Rounds down the quotient `of`, which the float tensor `value` contains. Returns nothing if the magnitude of `of.top`
/// may exceed exactUpTo(value) / 4. Up to this limit, the result is right even if the quotient was rounded to a float:
/// the rounding error is smaller than the distance of a fraction from the nearest integer. Also returns nothing for a
/// root that may have more than 64 values or may be the root of a negative number.
static std::optional<SizedTensor> roundDown(const Quotient &of, Value value) {
  if (!isWithin(of.top, exactUpTo(value) / 4))
    return std::nullopt;
  if (!of.isRoot)
    return mapped(of.top, [&](const SizeExpression &x) { return SizeExpression::floorDiv(x, of.bottom); });
  // The root, rounded down, is the number of squares 1, 4, 9, ... that are at most x. The first `minimum` squares are
  // at most x at all sizes. For each further square, the result of a comparison (1 or 0) is added.
  constexpr int64_t mostSquares = 64;
  std::optional<SizeBounds> bounds = of.top.bounds();
  if (!bounds || bounds->low < 0)
    return std::nullopt;
  auto root = [](int64_t square) { return int64_t(std::sqrt(double(square))); };
  int64_t minimum = root(bounds->low), largest = root(bounds->high);
  if (largest - minimum >= mostSquares)
    return std::nullopt;
  return mapped(of.top, [&](const SizeExpression &x) {
    SizeExpression count = minimum;
    for (int64_t root = minimum + 1; root <= largest; ++root)
      count = count + SizeExpression(1) - SizeExpression::less(x, root * root);
    return count;
  });
}

/// Brings the two operands of `op` to a common denominator and combines them with `f`: a sum, difference, minimum or
/// maximum. Returns nothing if the operands or the result are not known to be exact quotients.
static std::optional<Quotient> sumLike(Operation *op, int &left, Combine f) {
  std::optional<Quotient> a = quotientOf(op->getOperand(0), left);
  std::optional<Quotient> b = a ? quotientOf(op->getOperand(1), left) : std::nullopt;
  if (!b || a->isRounded || a->isRoot || b->isRounded || b->isRoot)
    return std::nullopt;
  int64_t bottom = std::max(a->bottom, b->bottom); // both are powers of 2
  auto top = combine(times(a->top, bottom / a->bottom), times(b->top, bottom / b->bottom), f);
  if (!top || !isWithin(*top, exactUpTo(op->getResult(0))))
    return std::nullopt;
  return Quotient{*top, bottom};
}

/// Returns the result of `op`, which multiplies a quotient by a constant or divides it by a constant.
static std::optional<Quotient> scaled(Operation *op, int &left) {
  std::optional<Quotient> a = quotientOf(op->getOperand(0), left);
  std::optional<Quotient> by = a ? ofConstant(op->getOperand(1)) : std::nullopt;
  if (!by || a->isRounded || a->isRoot)
    return std::nullopt;
  SizeExpression factor = by->top.elements.empty() ? SizeExpression(0) : by->top.elements.front();
  int64_t number = factor.number().value_or(0), maximum = exactUpTo(op->getResult(0));
  if (number == 0 || std::abs(number) > maximum)
    return std::nullopt;
  bool isProduct = isa<arith::MulFOp>(op);
  Quotient result{times(a->top, isProduct ? number : number < 0 ? -by->bottom : by->bottom),
                  a->bottom * (isProduct ? by->bottom : std::abs(number))};
  result.isRounded = !llvm::isPowerOf2_64(uint64_t(result.bottom));
  if (result.bottom > 1 << 20 || !isWithin(result.top, maximum))
    return std::nullopt;
  return result;
}

/// Returns the result of `op` as quotients; nothing if it is unknown. `left` is the number of operations that may
/// still be visited, as in quotientOf.
static std::optional<Quotient> ofOperation(Operation *op, int &left) {
  using E = SizeExpression;
  Value result = op->getResult(0);
  auto exact = [&](std::optional<SizedTensor> top) -> std::optional<Quotient> {
    return top && isWithin(*top, exactUpTo(result)) ? std::optional(Quotient{*top}) : std::nullopt;
  };
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return exact(SizedTensor::of(op->getOperand(0)));
  if (isa<arith::AddFOp>(op))
    return sumLike(op, left, [](const E &a, const E &b) { return a + b; });
  if (isa<arith::SubFOp>(op))
    return sumLike(op, left, [](const E &a, const E &b) { return a - b; });
  if (isa<arith::MaximumFOp>(op))
    return sumLike(op, left, [](const E &a, const E &b) { return E::max(a, b); });
  if (isa<arith::MinimumFOp>(op))
    return sumLike(op, left, [](const E &a, const E &b) { return E::min(a, b); });
  if (isa<arith::MulFOp, arith::DivFOp>(op))
    return scaled(op, left);
  if (!isa<arith::ExtFOp, arith::TruncFOp, math::FloorOp, math::CeilOp, math::SqrtOp, arith::NegFOp, math::AbsFOp,
           tensor::ExpandShapeOp, tensor::CollapseShapeOp, linalg::BroadcastOp>(op))
    return std::nullopt;
  std::optional<Quotient> of = quotientOf(op->getOperand(0), left);
  if (!of)
    return std::nullopt;
  bool isExact = !of->isRounded && !of->isRoot;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return of->top = of->top.reshaped(dimsOf(cast<RankedTensorType>(result.getType()))), of;
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    SymbolicShape shape = dimsOf(cast<RankedTensorType>(result.getType())), ones = shape;
    for (int64_t dim : broadcast.getDimensions())
      ones[dim] = 1;
    return of->top = of->top.reshaped(ones).broadcast(shape), of;
  }
  if (isa<math::FloorOp>(op))
    return exact(roundDown(*of, op->getOperand(0)));
  if (isa<math::CeilOp>(op) && !of->isRoot) {
    of->top = times(of->top, -1);
    std::optional<SizedTensor> up = roundDown(*of, op->getOperand(0));
    return up ? exact(times(*up, -1)) : std::nullopt;
  }
  if (isa<math::SqrtOp>(op) && isExact && of->bottom == 1)
    return of->isRoot = true, of;
  if (isa<arith::NegFOp>(op) && isExact)
    return of->top = times(of->top, -1), of;
  if (isa<math::AbsFOp>(op) && isExact)
    return of->top = mapped(of->top, [](const E &x) { return E::max(x, -x); }), of;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && isExact && isWithin(of->top, exactUpTo(result)))
    return of;
  return std::nullopt;
}

static std::optional<Quotient> quotientOf(Value value, int &left) {
  if (matchPattern(value, m_Constant()))
    return ofConstant(value);
  Operation *op = value.getDefiningOp();
  return op && left-- > 0 ? ofOperation(op, left) : std::nullopt;
}

/// The maximum number of operations that one search visits. It limits the time of the search.
constexpr int maxOperations = 200;

/// Returns the result of a cast to integers; nothing if it is unknown. Since a cast rounds towards 0, this function
/// rounds down the positive part and the magnitude of the negative part.
static std::optional<SizedTensor> truncated(arith::FPToSIOp op) {
  int left = maxOperations;
  std::optional<Quotient> of = quotientOf(op.getIn(), left);
  std::optional<SizeBounds> bounds = of ? of->top.bounds() : std::nullopt;
  if (!bounds)
    return std::nullopt;
  Quotient positive = *of, negative = *of;
  auto above = [](const SizeExpression &x) { return SizeExpression::max(x, 0); };
  positive.top = mapped(of->top, above);
  negative.top = mapped(times(of->top, -1), above);
  std::optional<SizedTensor> up = roundDown(positive, op.getIn()), down = roundDown(negative, op.getIn());
  std::optional<SizedTensor> result =
      up && down ? combine(*up, *down, [](const SizeExpression &a, const SizeExpression &b) { return a - b; })
                 : std::nullopt;
  auto element = cast<IntegerType>(getElementTypeOrSelf(op.getType()));
  std::optional<SizeBounds> all = result ? result->bounds() : std::nullopt;
  if (!all || element.getWidth() == 1 || !llvm::isIntN(element.getWidth(), all->low) ||
      !llvm::isIntN(element.getWidth(), all->high))
    return std::nullopt;
  result->element = element;
  return result;
}

/// Returns the result of a comparison of two quotients as an i1 tensor; nothing if it is unknown.
static std::optional<SizedTensor> compare(arith::CmpFOp op) {
  using Predicate = arith::CmpFPredicate;
  int budget = maxOperations;
  std::optional<Quotient> a = quotientOf(op.getLhs(), budget);
  std::optional<Quotient> b = a ? quotientOf(op.getRhs(), budget) : std::nullopt;
  if (!b || a->isRoot || b->isRoot || (a->isRounded && b->isRounded))
    return std::nullopt;
  // If only one quotient was rounded, the comparison is still right, because two different quotients differ by more
  // than this rounding error.
  SizedTensor left = times(a->top, b->bottom), right = times(b->top, a->bottom);
  int64_t maximum = exactUpTo(op.getLhs()) / 4;
  if ((a->isRounded || b->isRounded) && (!isWithin(left, maximum) || !isWithin(right, maximum)))
    return std::nullopt;
  auto decide = [&](const SizeExpression &x, const SizeExpression &y) -> std::optional<SizeExpression> {
    switch (op.getPredicate()) {
    case Predicate::OEQ:
      return SizeExpression::equal(x, y);
    case Predicate::UNE:
      return SizeExpression(1) - SizeExpression::equal(x, y);
    case Predicate::OLT:
      return SizeExpression::less(x, y);
    case Predicate::OLE:
      return SizeExpression(1) - SizeExpression::less(y, x);
    case Predicate::OGT:
      return SizeExpression::less(y, x);
    case Predicate::OGE:
      return SizeExpression(1) - SizeExpression::less(x, y);
    default:
      return std::nullopt;
    }
  };
  if (!decide(0, 0))
    return std::nullopt;
  std::optional<SizedTensor> result =
      combine(left, right, [&](const SizeExpression &x, const SizeExpression &y) { return *decide(x, y); });
  if (result)
    result->element = IntegerType::get(op.getContext(), 1);
  return result;
}

std::optional<SizedTensor> heddle::integersOfFloats(Operation *op) {
  if (!SizeScope::current())
    return std::nullopt;
  if (auto cast = dyn_cast<arith::FPToSIOp>(op))
    return truncated(cast);
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return compare(comparison);
  return std::nullopt;
}

std::optional<SizedTensor> heddle::sumUpFloats(Value floats, int64_t axis, bool isExclusive, bool isReverse) {
  int left = maxOperations;
  std::optional<Quotient> of = SizeScope::current() ? quotientOf(floats, left) : std::nullopt;
  if (!of || of->bottom != 1 || of->isRounded || of->isRoot)
    return std::nullopt;
  std::optional<SizeBounds> bounds = of->top.bounds();
  std::optional<SizedTensor> sums = sumUpSizes(of->top, axis, isExclusive, isReverse);
  // If all numbers have the same sign, no intermediate sum has a larger magnitude than the last one.
  bool isOneSign = bounds && (bounds->low >= 0 || bounds->high <= 0);
  return sums && isOneSign && isWithin(*sums, exactUpTo(floats)) ? sums : std::nullopt;
}
