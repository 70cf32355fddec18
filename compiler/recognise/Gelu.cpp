//===- Gelu.cpp - matches GELU with erf and with tanh ---------------------===//

#include "Activation.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

/// Matches `value` = expected * x * (1 + f(y)), where `expected` is a number and f is the operation `OpTy`. Adds the
/// matched operations to `ops` and returns x and y.
template <typename OpTy>
static std::optional<std::pair<Value, Value>> matchGate(Value value, double expected,
                                                        SmallVectorImpl<Operation *> &ops) {
  double number = 1.0;
  SmallVector<Value> factors;
  collectFactors(value, number, factors, ops);
  if (factors.size() != 2 || !isNearly(number, expected, value))
    return std::nullopt;
  for (unsigned k : {0, 1}) {
    auto shifted = matchShifted(factors[k]);
    auto function = shifted && shifted->second == 1.0 ? shifted->first.getDefiningOp<OpTy>() : OpTy();
    if (!function)
      continue;
    ops.push_back(factors[k].getDefiningOp());
    ops.push_back(function);
    return std::make_pair(factors[1 - k], function.getOperand());
  }
  return std::nullopt;
}

std::optional<MatchedActivation> heddle::matchGelu(Value value) {
  MatchedActivation result{Activation::Gelu, {}, {}};
  auto gate = matchGate<math::ErfOp>(value, 0.5, result.ops);
  if (!gate)
    return std::nullopt;
  double number = 1.0;
  SmallVector<Value> factors;
  collectFactors(gate->second, number, factors, result.ops);
  if (factors.size() != 1 || factors[0] != gate->first || !isNearly(number, std::sqrt(0.5), value))
    return std::nullopt;
  result.input = gate->first;
  return result;
}

/// Returns whether `value` = expected * x^power, where `expected` is a number. The power may be a product of x itself
/// and of squares and cubes of x that math.powf computes. Adds the operations to `ops`.
static bool matchPower(Value value, Value x, unsigned power, double expected, SmallVectorImpl<Operation *> &ops) {
  double number = 1.0;
  unsigned found = 0;
  SmallVector<Value> factors;
  collectFactors(value, number, factors, ops);
  for (Value factor : factors) {
    if (factor == x) {
      ++found;
    } else if (auto pow = factor.getDefiningOp<math::PowFOp>(); pow && pow.getLhs() == x) {
      auto exponent = matchNumber(pow.getRhs());
      if (exponent != 2.0 && exponent != 3.0)
        return false;
      ops.push_back(pow);
      found += unsigned(*exponent);
    } else {
      return false;
    }
  }
  return found == power && isNearly(number, expected, value);
}

std::optional<MatchedActivation> heddle::matchGeluTanh(Value value) {
  MatchedActivation result{Activation::GeluTanh, {}, {}};
  auto gate = matchGate<math::TanhOp>(value, 0.5, result.ops);
  if (!gate)
    return std::nullopt;
  Value x = gate->first;
  result.input = x;
  // The operand of tanh is sqrt(2/pi) (x + c x^3), or sqrt(2/pi) x (1 + c x^2).
  constexpr double root = 0.7978845608028654, cubic = 0.044715;
  double number = 1.0;
  SmallVector<Value> factors;
  collectFactors(gate->second, number, factors, result.ops);
  if (!isNearly(number, root, value) || factors.empty() || factors.size() > 2)
    return std::nullopt;
  if (factors.size() == 1) {
    auto add = factors[0].getDefiningOp<arith::AddFOp>();
    if (!add || (add.getLhs() != x && add.getRhs() != x))
      return std::nullopt;
    result.ops.push_back(add);
    Value cube = add.getLhs() == x ? add.getRhs() : add.getLhs();
    if (matchPower(cube, x, 3, cubic, result.ops))
      return result;
    return std::nullopt;
  }
  Value other = factors[0] == x ? factors[1] : factors[0];
  auto shifted = matchShifted(other);
  if ((factors[0] != x && factors[1] != x) || !shifted || shifted->second != 1.0)
    return std::nullopt;
  result.ops.push_back(other.getDefiningOp());
  if (matchPower(shifted->first, x, 2, cubic, result.ops))
    return result;
  return std::nullopt;
}
