//===- SizeIntervals.cpp - interval arithmetic on sizes -------------------===//

#include "SizeIntervals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// The bounds of a value; nullopt if they are unknown or do not fit into 64 bits.
using Bounds = std::optional<SizeBounds>;

/// Returns the minimum and the maximum of `f` over the corners of two intervals; nullopt if a corner has no value.
Bounds atCorners(SizeBounds a, SizeBounds b, llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> f) {
  Bounds bounds;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) {
      std::optional<int64_t> value = f(x, y);
      if (!value)
        return std::nullopt;
      bounds = bounds ? SizeBounds{std::min(bounds->low, *value), std::max(bounds->high, *value)}
                      : SizeBounds{*value, *value};
    }
  return bounds;
}

/// Return the sum, or the product; nullopt if it overflows.
std::optional<int64_t> added(int64_t x, int64_t y) {
  int64_t sum;
  return llvm::AddOverflow(x, y, sum) ? std::nullopt : std::optional(sum);
}
std::optional<int64_t> multiplied(int64_t x, int64_t y) {
  int64_t product;
  return llvm::MulOverflow(x, y, product) ? std::nullopt : std::optional(product);
}

/// Returns the bounds of a function of two values whose bounds are `a` and `b`, as if the values were independent.
Bounds boundsOf(SizeCode kind, SizeBounds a, SizeBounds b) {
  switch (kind) {
  case SizeCode::Add:
    return atCorners(a, b, added);
  case SizeCode::Multiply:
    return atCorners(a, b, multiplied);
  case SizeCode::FloorDivide: // monotonic in each operand if the range of b does not contain 0
    return b.low <= 0 && b.high >= 0 ? Bounds() : atCorners(a, b, floorDivide);
  case SizeCode::Min:
    return SizeBounds{std::min(a.low, b.low), std::min(a.high, b.high)};
  case SizeCode::Max:
    return SizeBounds{std::max(a.low, b.low), std::max(a.high, b.high)};
  case SizeCode::Less:
    return SizeBounds{a.high < b.low, a.low < b.high};
  default:
    return SizeBounds{a.isNumber() && b.isNumber() && a.low == b.low, a.low <= b.high && b.low <= a.high};
  }
}
} // namespace

Bounds heddle::boundsOfParts(const SizeExpression &expression, ArrayRef<SizeBounds> sizes, ArrayRef<SizeBounds> places) {
  SmallVector<SizeBounds> stack;
  SmallVector<int64_t> code = expression.code();
  for (size_t i = 0; i < code.size(); i += 2) {
    auto kind = SizeCode(code[i]);
    if (kind == SizeCode::Number) {
      stack.push_back({code[i + 1], code[i + 1]});
    } else if (kind == SizeCode::Size || kind == SizeCode::Place) {
      ArrayRef<SizeBounds> known = kind == SizeCode::Size ? sizes : places;
      if (code[i + 1] >= int64_t(known.size()))
        return std::nullopt;
      stack.push_back(known[code[i + 1]]);
    } else {
      SizeBounds b = stack.pop_back_val();
      Bounds bounds = boundsOf(kind, stack.back(), b);
      if (!bounds)
        return std::nullopt;
      stack.back() = *bounds;
    }
  }
  return stack.back();
}

bool heddle::isReadOnce(const SizeExpression &expression) {
  SmallVector<int64_t> code = expression.code();
  size_t leaves = 0;
  for (size_t i = 0; i < code.size(); i += 2) {
    if (SizeCode(code[i]) == SizeCode::Equal)
      return false;
    leaves += SizeCode(code[i]) == SizeCode::Size || SizeCode(code[i]) == SizeCode::Place;
  }
  return leaves == expression.sizes().size() + expression.places().size();
}

bool heddle::isMultilinear(const SizeExpression &expression) {
  SmallVector<int64_t> code = expression.code();
  for (size_t i = 0; i < code.size(); i += 2)
    if (SizeCode(code[i]) != SizeCode::Number && SizeCode(code[i]) != SizeCode::Size &&
        SizeCode(code[i]) != SizeCode::Place && SizeCode(code[i]) != SizeCode::Add &&
        SizeCode(code[i]) != SizeCode::Multiply)
      return false;
  // The polynomial is linear in a variable if its second difference is 0. shifted(d) adds d to the variable.
  for (bool isPlace : {false, true})
    for (unsigned number : isPlace ? expression.places() : expression.sizes()) {
      auto shifted = [&](int64_t by) {
        SmallVector<SizeExpression> leaves;
        for (unsigned i = 0; i <= number; ++i)
          leaves.push_back((isPlace ? SizeExpression::place(i) : SizeExpression::size(i)) + (i == number ? by : 0));
        unsigned maximum = isPlace ? (expression.places().back()) : expression.sizes().back();
        for (unsigned i = number + 1; i <= maximum; ++i)
          leaves.push_back(isPlace ? SizeExpression::place(i) : SizeExpression::size(i));
        return isPlace ? expression.withPlaces(leaves) : expression.withSizes(leaves);
      };
      if (shifted(2) - shifted(1) - shifted(1) + expression != SizeExpression(0))
        return false;
    }
  return true;
}

bool heddle::areInSeparateTerms(const SizeExpression &expression, unsigned first, unsigned second, size_t count) {
  auto shifted = [&](int64_t byFirst, int64_t bySecond) {
    SmallVector<SizeExpression> sizes;
    for (unsigned i = 0; i < count; ++i)
      sizes.push_back(SizeExpression::size(i) + (i == first ? byFirst : i == second ? bySecond : 0));
    return expression.withSizes(sizes);
  };
  return shifted(1, 1) - shifted(1, 0) - shifted(0, 1) + expression == SizeExpression(0);
}
