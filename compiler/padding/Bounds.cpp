//===- Bounds.cpp - value ranges of scalars -------------------------------===//

#include "Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;

static constexpr double infinity = std::numeric_limits<double>::infinity();

bool Bounds::isFinite() const { return low > -infinity && high < infinity; }

Bounds heddle::joined(Bounds a, Bounds b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// Returns the smallest range that contains these numbers; nullopt if one of them is NaN.
static std::optional<Bounds> hull(ArrayRef<double> numbers) {
  Bounds result{infinity, -infinity};
  for (double number : numbers) {
    if (std::isnan(number))
      return std::nullopt;
    result = joined(result, {number, number});
  }
  return result;
}

std::optional<Bounds> heddle::boundType(Type element) {
  if (isa<IndexType>(element))
    return Bounds{-0x1p63, 0x1p63};
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return std::nullopt;
  if (integer.getWidth() == 1)
    return Bounds{0, 1};
  return Bounds{-std::ldexp(1, integer.getWidth() - 1), std::ldexp(1, integer.getWidth() - 1) - 1};
}

std::optional<Bounds> heddle::boundConstant(Attribute constant) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return hull(number.getValueAsDouble());
  if (auto number = dyn_cast<IntegerAttr>(constant)) {
    bool isFlag = number.getType().isInteger(1); // 0 or 1
    double value = isFlag ? number.getValue().getZExtValue() : number.getValue().roundToDouble(/*isSigned=*/true);
    return Bounds{value, value};
  }
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (!elements || elements.empty())
    return std::nullopt;
  if (elements.isSplat())
    return boundConstant(elements.getSplatValue<Attribute>());
  if (!isa<FloatType>(elements.getElementType()))
    return boundType(elements.getElementType());
  Bounds all{infinity, -infinity};
  for (const APFloat &element : elements.getValues<APFloat>()) {
    if (element.isNaN())
      return std::nullopt;
    double number = FloatAttr::get(elements.getElementType(), element).getValueAsDouble();
    all = joined(all, {number, number});
  }
  return all;
}

// The functions below return the range of the result of an operation on numbers in the ranges a and b; nullopt if the
// result may be NaN or its range is not known.

/// The range of a function that is monotonic in each argument, from its values at all four pairs of ends.
static std::optional<Bounds> ends(Bounds a, Bounds b, function_ref<double(double, double)> apply) {
  return hull({apply(a.low, b.low), apply(a.low, b.high), apply(a.high, b.low), apply(a.high, b.high)});
}

static std::optional<Bounds> product(Bounds a, Bounds b) {
  auto hasZero = [](Bounds x) { return x.low <= 0 && x.high >= 0; };
  if ((hasZero(a) && !b.isFinite()) || (hasZero(b) && !a.isFinite()))
    return std::nullopt;
  return ends(a, b, [](double x, double y) { return x * y; });
}

static std::optional<Bounds> quotient(Bounds a, Bounds b) {
  if (b.low <= 0 && b.high >= 0)
    return std::nullopt; // 0 / 0, or an infinity of either sign
  if (!a.isFinite() && !b.isFinite())
    return std::nullopt;
  return ends(a, b, [](double x, double y) { return x / y; });
}

static std::optional<Bounds> sum(Bounds a, Bounds b) {
  if ((a.low == -infinity && b.high == infinity) || (a.high == infinity && b.low == -infinity))
    return std::nullopt;
  return Bounds{a.low + b.low, a.high + b.high};
}

/// The range of a non-decreasing function.
static Bounds rising(Bounds x, double (*function)(double)) { return {function(x.low), function(x.high)}; }

static std::optional<Bounds> power(Bounds base, Bounds exponent) {
  if (exponent.low != exponent.high || !std::isfinite(exponent.low))
    return std::nullopt;
  double e = exponent.low;
  if (e == 2) {
    double maximum = std::max(std::abs(base.low), std::abs(base.high));
    return Bounds{0, maximum * maximum};
  }
  if (base.low < 0 || (base.low == 0 && e <= 0))
    return std::nullopt;
  return hull({std::pow(base.low, e), std::pow(base.high, e)});
}

/// Returns the range of the result of an operation on floats, whose operands have the ranges `in`; nullopt if the
/// result may be NaN or the operation is unknown.
static std::optional<Bounds> boundFloats(Operation &op, ArrayRef<Bounds> in) {
  using Found = std::optional<Bounds>;
  return llvm::TypeSwitch<Operation *, Found>(&op)
      .Case([&](arith::AddFOp) { return sum(in[0], in[1]); })
      .Case([&](arith::SubFOp) { return sum(in[0], {-in[1].high, -in[1].low}); })
      .Case([&](arith::MulFOp) {
        return op.getOperand(0) == op.getOperand(1) ? power(in[0], {2, 2}) : product(in[0], in[1]);
      })
      .Case([&](arith::DivFOp) { return quotient(in[0], in[1]); })
      .Case([&](arith::NegFOp) { return Bounds{-in[0].high, -in[0].low}; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return Bounds{std::max(in[0].low, in[1].low), std::max(in[0].high, in[1].high)}; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return Bounds{std::min(in[0].low, in[1].low), std::min(in[0].high, in[1].high)}; })
      .Case([&](arith::SelectOp) { return joined(in[1], in[2]); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return in[0]; })
      .Case([&](arith::SIToFPOp) {
        bool isFlag = op.getOperand(0).getType().isInteger(1); // true becomes -1
        return isFlag ? Bounds{-in[0].high, -in[0].low} : in[0];
      })
      .Case([&](arith::UIToFPOp) { return in[0].low >= 0 ? Found(in[0]) : Bounds{0, 0x1p64}; })
      .Case([&](math::FmaOp) {
        Found multiplied = product(in[0], in[1]);
        return multiplied ? sum(*multiplied, in[2]) : std::nullopt;
      })
      .Case([&](math::AbsFOp) {
        return Bounds{in[0].low > 0 ? in[0].low : in[0].high < 0 ? -in[0].high : 0,
                      std::max(std::abs(in[0].low), std::abs(in[0].high))};
      })
      .Case([&](math::ExpOp) { return rising(in[0], std::exp); })
      .Case([&](math::TanhOp) { return rising(in[0], std::tanh); })
      .Case([&](math::ErfOp) { return rising(in[0], std::erf); })
      .Case([&](math::LogOp) { return in[0].low >= 0 ? Found(rising(in[0], std::log)) : std::nullopt; })
      .Case([&](math::SqrtOp) { return in[0].low >= 0 ? Found(rising(in[0], std::sqrt)) : std::nullopt; })
      .Case([&](math::RsqrtOp) {
        return in[0].low > 0 ? Found(Bounds{1 / std::sqrt(in[0].high), 1 / std::sqrt(in[0].low)}) : std::nullopt;
      })
      .Case<math::SinOp, math::CosOp>([&](auto) { return in[0].isFinite() ? Found(Bounds{-1, 1}) : std::nullopt; })
      .Case([&](math::PowFOp) { return power(in[0], in[1]); })
      .Default(Found());
}

/// Returns the range of the result of an operation on integers, ignoring overflow; nullopt if the operation is unknown.
static std::optional<Bounds> boundIntegers(Operation &op, ArrayRef<Bounds> in) {
  using Found = std::optional<Bounds>;
  return llvm::TypeSwitch<Operation *, Found>(&op)
      .Case([&](arith::AddIOp) { return sum(in[0], in[1]); })
      .Case([&](arith::SubIOp) { return sum(in[0], {-in[1].high, -in[1].low}); })
      .Case([&](arith::MulIOp) { return product(in[0], in[1]); })
      .Case([&](arith::SelectOp) { return joined(in[1], in[2]); })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) {
        bool isFlag = op.getOperand(0).getType().isInteger(1);
        return isFlag ? Bounds{-in[0].high, -in[0].low} : in[0];
      })
      .Case([&](arith::ExtUIOp) { return in[0].low >= 0 ? Found(in[0]) : std::nullopt; })
      .Case([&](arith::TruncIOp) { return in[0]; })
      .Default(Found());
}

/// Widens a range by the rounding to f32: numbers that overflow become infinite, and numbers of a magnitude below the
/// smallest normal f32 may become 0.
static Bounds asF32(Bounds x) {
  constexpr double largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::min();
  auto rounded = [=](double end) {
    return std::abs(end) > largest ? std::copysign(infinity, end) : std::abs(end) < smallest ? 0 : end;
  };
  return {rounded(x.low), rounded(x.high)};
}

std::optional<Bounds> heddle::boundResult(Operation &op, ArrayRef<std::optional<Bounds>> operands) {
  if (op.getNumResults() != 1 || op.getNumRegions())
    return std::nullopt;
  Type type = op.getResult(0).getType();
  std::optional<Bounds> ofType = boundType(type);
  SmallVector<Bounds> in;
  for (std::optional<Bounds> operand : operands) {
    if (!operand)
      return ofType; // the type bounds an integer, whatever its operands are
    in.push_back(*operand);
  }
  if (ofType) {
    std::optional<Bounds> result = boundIntegers(op, in);
    bool fits = result && result->low >= ofType->low && result->high <= ofType->high; // else it may overflow
    return fits && !type.isInteger(1) ? result : ofType;
  }
  std::optional<Bounds> result = boundFloats(op, in);
  if (!result || std::isnan(result->low) || std::isnan(result->high))
    return std::nullopt;
  Bounds valid = Bounds::valid();
  if (result->isFinite() && llvm::all_of(in, [](Bounds x) { return x.isValid(); }))
    result = {std::clamp(result->low, valid.low, valid.high),
              std::clamp(result->high, valid.low, valid.high)};
  return asF32(*result);
}
