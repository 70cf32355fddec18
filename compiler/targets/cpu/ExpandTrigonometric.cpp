//===- ExpandTrigonometric.cpp - sin, cos and tan as arithmetic -----------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {

/// An angle less the nearest multiple of pi/2: `rest` is from -pi/4 to pi/4, `quarter` counts the multiples, of which
/// the two lowest bits are right.
struct Reduced {
  Value rest, quarter;
};

/// 26 zeros and the first bits of 2/pi.
constexpr uint32_t twoOverPi[] = {0x00000028, 0xbe60db93, 0x91054a7f, 0x09d5f47d, 0x4d377036, 0xd8a5664f, 0x10e4107f};

/// The reduction of Payne and Hanek, for all finite numbers, in 32-bit integers: neither FMA nor f64 is asked for, and
/// there is no branch for large numbers. With |x| = m 2^(k-24), 2^23 <= m < 2^24, it multiplies m by 96 bits of 2/pi;
/// what lies before them makes multiples of 4, what lies behind them is less than 2^-70. Two bits before the point
/// count quarters, 62 behind it are the rest: no f32 is closer than 2^-32 to a multiple of pi/2, other than 0.
Reduced reduce(MathBuilder &b, Value magnitude) {
  Value word = b.bitsOf(magnitude);
  Value k = b.addBits(b.shiftRight(word, 23), b.integer(-126));
  Value m = b.make<arith::OrIOp>(b.andBits(word, 0x7fffff), b.integer(0x800000));

  // The four words that begin at bit k, rounded down to a multiple of 32.
  SmallVector<Value> words;
  for (uint32_t bits : twoOverPi)
    words.push_back(b.integer(bits));
  for (unsigned step : {4, 2, 1}) {
    Value farther = b.make<arith::CmpIOp>(arith::CmpIPredicate::ne, b.andBits(k, step * 32), b.integer(0));
    for (unsigned i = 0; i + step < words.size(); ++i)
      words[i] = b.select(farther, words[i + step], words[i]);
  }
  // The three that begin at k itself. Shifting by 1 and by 31 - shift is right for a shift of 0, too.
  Value shift = b.andBits(k, 31), back = b.make<arith::SubIOp>(b.integer(31), shift);
  Value window[3];
  for (unsigned i = 0; i < 3; ++i) {
    Value high = b.make<arith::ShLIOp>(words[i], shift);
    Value low = b.make<arith::ShRUIOp>(b.shiftRight(words[i + 1], 1), back);
    window[i] = b.make<arith::OrIOp>(high, low);
  }

  // 64 bits of the product.
  auto middle = arith::MulUIExtendedOp::create(b, m, window[1]), least = arith::MulUIExtendedOp::create(b, m, window[2]);
  Value low = b.addBits(middle.getLow(), least.getHigh());
  Value carry = b.make<arith::ExtUIOp>(b.bits, b.make<arith::CmpIOp>(arith::CmpIPredicate::ult, low, middle.getLow()));
  Value high = b.addBits(b.addBits(b.make<arith::MulIOp>(m, window[0]), middle.getHigh()), carry);

  // The nearest quarter, and the rest's sign and magnitude (but for the last bit).
  Value rounded = b.addBits(high, b.integer(0x20000000));
  Value quarter = b.shiftRight(rounded, 30);
  Value rest = b.addBits(b.andBits(rounded, 0x3fffffff), b.integer(-0x20000000));
  Value negative = b.make<arith::ShRSIOp>(rest, b.integer(31));
  Value upper = b.make<arith::SIToFPOp>(b.type, b.xorBits(rest, negative));
  Value lower = b.make<arith::SIToFPOp>(b.type, b.shiftRight(b.xorBits(low, negative), 1));
  // pi/2 of each unit, in two parts: the first has 24 digits.
  constexpr double halfPi = llvm::numbers::pi / 2, firstPart = 0x1.921fb6p0;
  Value small = b.mul(lower, b.number(halfPi * 0x1p-61));
  small = b.fma(upper, b.number((halfPi - firstPart) * 0x1p-30), small);
  Value angle = b.fma(upper, b.number(firstPart * 0x1p-30), small);
  angle = b.flipSign(angle, b.andBits(negative, 0x80000000));

  // Up to pi/4 it is the rest itself.
  Value none = b.compare(arith::CmpFPredicate::OLE, magnitude, 0x1.921fb6p-1);
  return {b.select(none, magnitude, angle), b.select(none, b.integer(0), quarter)};
}

// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 for |r| <= pi/4, in r^2, highest power first: Cephes' coefficients,
// within 4e-9 of sin and 2e-10 of cos.
constexpr double sinCoefficients[] = {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1};
constexpr double cosCoefficients[] = {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2};

/// sin and cos of the rest.
std::pair<Value, Value> sinAndCos(MathBuilder &b, Value rest) {
  Value square = b.mul(rest, rest);
  Value sin = b.fma(b.mul(rest, square), b.polynomial(square, sinCoefficients), rest);
  Value cos = b.fma(b.mul(square, square), b.polynomial(square, cosCoefficients),
                    b.fma(square, b.number(-0.5), b.number(1.0)));
  return {sin, cos};
}

Value isOdd(MathBuilder &b, Value quarter) {
  return b.make<arith::CmpIOp>(arith::CmpIPredicate::ne, b.andBits(quarter, 1), b.integer(0));
}

/// NaN where x is infinite or NaN, which have no quarters.
Value finiteOnly(MathBuilder &b, Value x, Value magnitude, Value result) {
  Value finite = b.compare(arith::CmpFPredicate::OLT, magnitude, std::numeric_limits<double>::infinity());
  return b.select(finite, result, b.sub(x, x));
}

/// sin, or cos, which is sin a quarter further and does not know the sign of x.
template <typename Op, bool isCos>
struct ExpandSinOrCos : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    Value x = op.getOperand(), magnitude = b.magnitude(x);
    auto [rest, quarter] = reduce(b, magnitude);
    auto [sin, cos] = sinAndCos(b, rest);
    if (isCos)
      quarter = b.addBits(quarter, b.integer(1));
    Value sign = b.shiftLeft(b.andBits(quarter, 2), 30);
    if (!isCos)
      sign = b.xorBits(sign, b.signBit(x));
    Value result = b.flipSign(b.select(isOdd(b, quarter), cos, sin), sign);
    rewriter.replaceOp(op, finiteOnly(b, x, magnitude, result));
    return success();
  }
};

/// sin/cos, or in an odd quarter -cos/sin.
struct ExpandTan : OpRewritePattern<math::TanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    Value x = op.getOperand(), magnitude = b.magnitude(x);
    auto [rest, quarter] = reduce(b, magnitude);
    auto [sin, cos] = sinAndCos(b, rest);
    Value odd = isOdd(b, quarter);
    Value result = b.div(b.select(odd, cos, sin), b.select(odd, sin, cos));
    Value sign = b.xorBits(b.shiftLeft(quarter, 31), b.signBit(x));
    rewriter.replaceOp(op, finiteOnly(b, x, magnitude, b.flipSign(result, sign)));
    return success();
  }
};

} // namespace

void heddle::populateExpandTrigonometric(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandSinOrCos<math::SinOp, false>, ExpandSinOrCos<math::CosOp, true>, ExpandTan>(
      patterns.getContext(), benefit);
}
