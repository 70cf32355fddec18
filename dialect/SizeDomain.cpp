//===- SizeDomain.cpp - decisions for all sizes of ranges -----------------===//

#include "SizeDomain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The maximum number of size combinations that are enumerated.
static constexpr int64_t maxChoices = int64_t(1) << 21;
/// The maximum number of words of code (SizeExpression::code) that are evaluated for all enumerated combinations.
static constexpr int64_t maxSteps = int64_t(1) << 25;

/// The bounds of a value; nullopt if they are unknown or do not fit into 64 bits.
using Bounds = std::optional<SizeBounds>;

bool SizeDomain::isLimited(const SizeExpression &expression) const {
  auto isOne = [&](unsigned size) { return size == limit->first || size == limit->second; };
  return limit && llvm::any_of(expression.sizes(), isOne);
}

SmallVector<std::pair<int64_t, int64_t>> SizeDomain::cornersOfLimit(const SizeExpression &expression) const {
  SizeBounds as = ranges[limit->first], bs = ranges[limit->second]; // the ranges of a and b
  bool usesLimit = areInSeparateTerms(expression, limit->first, limit->second, ranges.size());
  SmallVector<std::pair<int64_t, int64_t>> corners;
  auto add = [&](int64_t a, int64_t b) {
    if (a >= as.low && a <= as.high && b >= bs.low && b <= bs.high && (!usesLimit || a + b <= limit->maximum))
      corners.emplace_back(a, b);
  };
  for (int64_t a : {as.low, as.high})
    for (int64_t b : {bs.low, bs.high})
      add(a, b);
  for (int64_t a : {as.low, as.high})
    add(a, limit->maximum - a);
  for (int64_t b : {bs.low, bs.high})
    add(limit->maximum - b, b);
  return corners;
}

bool SizeDomain::forEachChoice(const SizeExpression &expression, ArrayRef<SizeBounds> placeBounds,
                               llvm::function_ref<bool(std::optional<int64_t>, ArrayRef<int64_t>)> see) const {
  SmallVector<unsigned> sizes = expression.sizes(), places = expression.places();
  SmallVector<int64_t> sizeValues, placeValues;
  for (const SizeBounds &range : ranges)
    sizeValues.push_back(range.low);
  for (const SizeBounds &range : placeBounds)
    placeValues.push_back(range.low);
  struct Variable {
    int64_t *value;
    SizeBounds bounds;
  };
  SmallVector<Variable> variables;
  int64_t choices = 1;
  auto add = [&](SmallVector<int64_t> &values, ArrayRef<SizeBounds> bounds, unsigned number) {
    if (number >= bounds.size() || bounds[number].low > bounds[number].high)
      return false;
    int64_t count;
    if (llvm::SubOverflow(bounds[number].high, bounds[number].low, count) || count >= maxChoices)
      return false;
    variables.push_back({&values[number], bounds[number]});
    choices *= count + 1;
    return choices <= maxChoices;
  };
  for (unsigned number : sizes)
    if (!add(sizeValues, ranges, number))
      return false;
  for (unsigned number : places)
    if (!add(placeValues, placeBounds, number))
      return false;
  SizeEvaluator evaluator(expression);
  if (int64_t(expression.code().size()) > maxSteps / choices)
    return false;
  while (isBeyondLimit(sizeValues) || see(evaluator.at(sizeValues, placeValues), sizeValues)) {
    size_t i = 0;
    for (; i < variables.size() && *variables[i].value == variables[i].bounds.high; ++i)
      *variables[i].value = variables[i].bounds.low;
    if (i == variables.size())
      break;
    ++*variables[i].value;
  }
  return true;
}

std::optional<SizeBounds> SizeDomain::boundsOf(const SizeExpression &expression, ArrayRef<SizeBounds> places,
                                               bool isExact) const {
  Bounds bounds = boundsOfParts(expression, ranges, places);
  bool usesLimit = isLimited(expression);
  if (bounds && (!isExact || bounds->isNumber() || (!usesLimit && isReadOnce(expression))))
    return bounds;
  Bounds exact;
  bool hasValue = true;
  auto see = [&](std::optional<int64_t> value, ArrayRef<int64_t>) {
    hasValue &= value.has_value();
    if (value)
      exact = exact ? SizeBounds{std::min(exact->low, *value), std::max(exact->high, *value)}
                    : SizeBounds{*value, *value};
    return hasValue;
  };
  SmallVector<unsigned> ofSizes = expression.sizes(), ofPlaces = expression.places();
  size_t count = ofSizes.size() + ofPlaces.size();
  if (!bounds || count > 12 || !isMultilinear(expression)) {
    bool isSeen = forEachChoice(expression, places, see);
    return !isSeen ? bounds : hasValue ? exact : Bounds();
  }
  SizeEvaluator evaluator(expression);
  SmallVector<int64_t> sizeValues(ranges.size()), placeValues(places.size());
  SmallVector<std::pair<int64_t, int64_t>> limited;
  if (usesLimit)
    limited = cornersOfLimit(expression);
  for (size_t corner = 0; corner < size_t(1) << count; ++corner) {
    for (auto [i, number] : llvm::enumerate(ofSizes))
      sizeValues[number] = corner >> i & 1 ? ranges[number].high : ranges[number].low;
    for (auto [i, number] : llvm::enumerate(ofPlaces))
      placeValues[number] = corner >> (i + ofSizes.size()) & 1 ? places[number].high : places[number].low;
    if (!usesLimit)
      see(evaluator.at(sizeValues, placeValues), sizeValues);
    for (auto [first, second] : limited) {
      sizeValues[limit->first] = first;
      sizeValues[limit->second] = second;
      see(evaluator.at(sizeValues, placeValues), sizeValues);
    }
  }
  return hasValue ? exact : bounds;
}

SizeDecision SizeDomain::decide(const SizeExpression &expression, bool isZero) const {
  auto holds = [&](int64_t value) { return isZero ? value == 0 : value < 0; };
  SizeDecision decision;
  // If the sum of two sizes is limited, bounds that are computed from the range of each size alone are too wide.
  if (Bounds bounds = boundsOf(expression, {}, isLimited(expression))) {
    if (isZero ? bounds->low > 0 || bounds->high < 0 : bounds->low >= 0)
      decision.always = false;
    else if (isZero ? bounds->low == 0 && bounds->high == 0 : bounds->high < 0)
      decision.always = true;
    if (decision.always)
      return decision;
  }
  bool hasValue = true;
  auto see = [&](std::optional<int64_t> value, ArrayRef<int64_t> sizes) {
    hasValue &= value.has_value();
    if (value) {
      SmallVector<int64_t> &found = holds(*value) ? decision.where : decision.whereNot;
      if (found.empty())
        found.assign(sizes.begin(), sizes.end());
    }
    return hasValue && (decision.where.empty() || decision.whereNot.empty());
  };
  if (forEachChoice(expression, {}, see)) {
    if (hasValue && decision.where.empty() != decision.whereNot.empty())
      decision.always = !decision.where.empty();
    return decision;
  }
  if (Bounds bounds = boundsOf(expression, {}, /*isExact=*/true)) // there are too many combinations to enumerate
    if (bounds->low > 0 || bounds->high < 0 || bounds->isNumber() || (!isZero && bounds->low >= 0))
      decision.always = holds(bounds->low);
  if (decision.always)
    return decision;
  // For error messages, the corners of the first 12 ranges are searched for sizes at which the property holds, and for
  // sizes at which it does not hold.
  SizeEvaluator evaluator(expression);
  for (size_t corner = 0; corner < size_t(1) << std::min<size_t>(ranges.size(), 12); ++corner) {
    SmallVector<int64_t> sizes;
    for (auto [i, range] : llvm::enumerate(ranges))
      sizes.push_back(corner >> i & 1 ? range.high : range.low);
    std::optional<int64_t> value = isBeyondLimit(sizes) ? std::nullopt : evaluator.at(sizes);
    if (value) {
      SmallVector<int64_t> &found = holds(*value) ? decision.where : decision.whereNot;
      if (found.empty())
        found = sizes;
    }
  }
  return decision;
}

SizeDecision SizeDomain::isZero(const SizeExpression &expression) const { return decide(expression, true); }
SizeDecision SizeDomain::isNegative(const SizeExpression &expression) const { return decide(expression, false); }

/// Returns the function `kind` of `a` and `b` in a simpler form, given the bounds of a - b; nullopt if there is none.
static std::optional<SizeExpression> decided(SizeCode kind, const SizeExpression &a, const SizeExpression &b,
                                             SizeBounds difference) {
  bool isNeverMore = difference.high <= 0, isNeverLess = difference.low >= 0;
  switch (kind) {
  case SizeCode::Min:
    return isNeverMore ? std::optional(a) : isNeverLess ? std::optional(b) : std::nullopt;
  case SizeCode::Max:
    return isNeverMore ? std::optional(b) : isNeverLess ? std::optional(a) : std::nullopt;
  case SizeCode::Less:
    return difference.high < 0 ? std::optional<SizeExpression>(1)
           : isNeverLess       ? std::optional<SizeExpression>(0)
                               : std::nullopt;
  case SizeCode::Equal:
    return difference.high < 0 || difference.low > 0 ? std::optional<SizeExpression>(0)
           : isNeverMore && isNeverLess              ? std::optional<SizeExpression>(1)
                                                     : std::nullopt;
  default:
    return std::nullopt;
  }
}

SizeExpression SizeDomain::simplify(const SizeExpression &expression, ArrayRef<SizeBounds> places) const {
  if (expression.isNumber() || expression.asSize())
    return expression;
  SmallVector<int64_t> code = expression.code();
  SmallVector<SizeExpression> stack;
  for (size_t i = 0; i < code.size(); i += 2) {
    auto kind = SizeCode(code[i]);
    if (isLeaf(kind)) {
      stack.push_back(kind == SizeCode::Number ? SizeExpression(code[i + 1])
                      : kind == SizeCode::Size ? SizeExpression::size(unsigned(code[i + 1]))
                                               : SizeExpression::place(unsigned(code[i + 1])));
      continue;
    }
    SizeExpression b = stack.pop_back_val(), a = stack.pop_back_val(), result = SizeExpression::apply(kind, a, b);
    if (kind == SizeCode::FloorDivide) {
      if (Bounds bounds = boundsOf(result, places, /*isExact=*/true); bounds && bounds->isNumber())
        result = bounds->low;
    } else if (kind != SizeCode::Add && kind != SizeCode::Multiply) {
      if (Bounds difference = boundsOf(a - b, places, /*isExact=*/true))
        result = decided(kind, a, b, *difference).value_or(result);
    }
    stack.push_back(result);
  }
  if (Bounds bounds = boundsOf(stack.back(), places); bounds && bounds->isNumber())
    return bounds->low;
  return stack.back();
}
