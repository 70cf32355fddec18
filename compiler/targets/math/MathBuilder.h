//===- MathBuilder.h - builds math functions from arithmetic ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_MATHBUILDER_H
#define HEDDLE_TARGETS_MATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The number 1.5 x 2^23 plus the exponent bias 127. Adding this number to a small f32 x rounds x to an integer n, and
/// the low bits of the sum are n + 127, the exponent field of 2^n.
inline constexpr double roundBiased = 12582912.0 + 127.0;

/// Returns whether the result of `op` is f32 or f64, or a vector of one of these types.
bool isF32OrF64(mlir::Operation *op);

/// Builds arithmetic of f32 or f64, on scalars or vectors. The type is that of the result of `op`, which the arithmetic
/// replaces.
struct MathBuilder : mlir::ImplicitLocOpBuilder {
  using Value = mlir::Value;

  MathBuilder(mlir::Operation *op, mlir::PatternRewriter &rewriter);

  /// Return a constant of the float type `type` (rounded), or of the integer type `bits` (truncated).
  Value number(double value);
  Value integer(int64_t value);

  /// Creates an operation with one result.
  template <typename Op, typename... Operands>
  Value make(Operands &&...operands) {
    return Op::create(*this, std::forward<Operands>(operands)...);
  }
  Value add(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value fma(Value x, Value y, Value z) { return make<mlir::math::FmaOp>(x, y, z); }
  Value select(Value condition, Value x, Value y) { return make<mlir::arith::SelectOp>(condition, x, y); }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, double y) {
    return make<mlir::arith::CmpFOp>(predicate, x, number(y));
  }

  /// Operations on integers that have the width of the floats.
  Value addBits(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value andBits(Value x, int64_t y) { return make<mlir::arith::AndIOp>(x, integer(y)); }
  Value xorBits(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }
  Value shiftLeft(Value x, int64_t by) { return make<mlir::arith::ShLIOp>(x, integer(by)); }
  Value shiftRight(Value x, int64_t by) { return make<mlir::arith::ShRUIOp>(x, integer(by)); }
  Value bitsOf(Value x) { return make<mlir::arith::BitcastOp>(bits, x); }
  Value ofBits(Value x) { return make<mlir::arith::BitcastOp>(type, x); }

  /// Return |x|, and a word with the sign bit of x and 0 in all other bits.
  Value magnitude(Value x) { return ofBits(andBits(bitsOf(x), ~signMask())); }
  Value signBit(Value x) { return andBits(bitsOf(x), signMask()); }
  /// Flips the sign of x if the sign bit of the word `sign` is set.
  Value flipSign(Value x, Value sign) { return ofBits(xorBits(bitsOf(x), sign)); }

  /// Evaluates a polynomial at x. The first coefficient is that of the highest power.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);

  /// Returns the larger of x and `lowest`. NaN stays NaN.
  Value noLessThan(double lowest, Value x);

  /// Clamps x to [-end, end]; NaN stays NaN.
  Value upTo(double end, Value x);

  /// Returns p 2^n. `shifted` is an f32 to which `roundBiased` was added, so its low bits are n + 127. For n = -127 the
  /// result is p x 0.
  Value timesPower(Value p, Value shifted) { return mul(p, ofBits(shiftLeft(bitsOf(shifted), 23))); }

  bool isWide() const { return width == 64; }
  int64_t signMask() const { return static_cast<int64_t>(uint64_t(1) << (width - 1)); }
  /// The number of bits of the fraction, and the exponent's bias.
  int64_t fractionBits() const { return isWide() ? 52 : 23; }
  int64_t bias() const { return isWide() ? 1023 : 127; }
  /// Returns the bits of `value`, rounded to f32 or f64, the element type of `type`.
  int64_t wordOf(double value) const;

  mlir::Type type, bits; // the result's type, and integers of the same width
  unsigned width;        // 32 or 64
};

// The functions below add patterns that replace math functions by arithmetic.

/// Patterns for sin, cos and tan of f32 and f64.
void populateExpandTrigonometric(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Patterns for asin, atan and atan2 of f32 and f64, and acos of f64.
void populateExpandArc(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Patterns for sinh, cosh, asinh, acosh and atanh of f32 and f64.
void populateExpandHyperbolic(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// A pattern for the cube root of f32 and f64.
void populateExpandCubeRoot(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Patterns for pow and exp2 of f32 and f64.
void populateExpandPower(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Patterns for log, log2, log10 and log1p of f64.
void populateExpandDoubleLogarithm(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Patterns for erf, tanh and expm1 of f64.
void populateExpandDouble(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_MATHBUILDER_H
