//===- MathBuilder.h - arithmetic in place of a function --------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_MATHBUILDER_H
#define HEDDLE_TARGETS_MATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adding 1.5 x 2^23 rounds to an integer in the low bits; 127 is the exponent's bias.
inline constexpr double roundBiased = 12582912.0 + 127.0;

/// Whether the result is f32 or f64, or a vector of these.
bool isF32OrF64(mlir::Operation *op);

/// Builds f32 or f64 arithmetic, scalar or on vectors, in place of `op`.
struct MathBuilder : mlir::ImplicitLocOpBuilder {
  using Value = mlir::Value;

  MathBuilder(mlir::Operation *op, mlir::PatternRewriter &rewriter);

  Value number(double value);
  Value integer(int64_t value);

  /// One operation with one result.
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

  /// On integers as wide as the numbers.
  Value addBits(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value andBits(Value x, int64_t y) { return make<mlir::arith::AndIOp>(x, integer(y)); }
  Value xorBits(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }
  Value shiftLeft(Value x, int64_t by) { return make<mlir::arith::ShLIOp>(x, integer(by)); }
  Value shiftRight(Value x, int64_t by) { return make<mlir::arith::ShRUIOp>(x, integer(by)); }
  Value bitsOf(Value x) { return make<mlir::arith::BitcastOp>(bits, x); }
  Value ofBits(Value x) { return make<mlir::arith::BitcastOp>(type, x); }

  /// |x| and the sign of x, as a word with nothing else.
  Value magnitude(Value x) { return ofBits(andBits(bitsOf(x), ~signMask())); }
  Value signBit(Value x) { return andBits(bitsOf(x), signMask()); }
  /// x with its sign turned where the word `sign` has one.
  Value flipSign(Value x, Value sign) { return ofBits(xorBits(bitsOf(x), sign)); }

  /// The polynomial at x, highest power first.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);

  /// The larger one, x where it is NaN.
  Value noLessThan(double lowest, Value x);

  /// x, or the end that it is beyond: -end or end; NaN stays.
  Value upTo(double end, Value x);

  /// p 2^n, n being in the low bits of the f32 `shifted`, to which `roundBiased` was added. The power
  /// of n = -127 has the bits of 0.
  Value timesPower(Value p, Value shifted) { return mul(p, ofBits(shiftLeft(bitsOf(shifted), 23))); }

  bool isWide() const { return width == 64; }
  int64_t signMask() const { return static_cast<int64_t>(uint64_t(1) << (width - 1)); }
  /// Bits of a fraction, and the exponent's bias.
  int64_t fractionBits() const { return isWide() ? 52 : 23; }
  int64_t bias() const { return isWide() ? 1023 : 127; }
  /// The bits that `value` has in this type.
  int64_t wordOf(double value) const;

  mlir::Type type, bits; // of the result, and integers as wide
  unsigned width;        // 32 or 64
};

/// sin, cos and tan of f32 and f64.
void populateExpandTrigonometric(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// asin, atan and atan2 of f32 and f64, and acos of f64.
void populateExpandArc(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// sinh, cosh, asinh, acosh and atanh of f32 and f64.
void populateExpandHyperbolic(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// The cube root of f32 and f64.
void populateExpandCubeRoot(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Powers, and 2^x, of f32 and f64.
void populateExpandPower(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// log, log2, log10 and log1p of f64.
void populateExpandDoubleLogarithm(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// erf, tanh and expm1 of f64.
void populateExpandDouble(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_MATHBUILDER_H
