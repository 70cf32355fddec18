//===- AngleReduction.cpp - angles reduced modulo pi/2 --------------------===//

#include "AngleReduction.h"

using namespace mlir;
using namespace heddle;

/// The leading bits of 2/pi, after p + 2 zero bits, where p is the number of binary digits of the type (24 or 53). The
/// first word contains the leading bits. Because of the zero bits, `inQuarters` can use the words that begin at bit k
/// for each exponent k >= 0.
constexpr int64_t twoOverPi32[] = {0x00000028, 0xbe60db93, 0x91054a7f, 0x09d5f47d, 0x4d377036, 0xd8a5664f, 0x10e4107f};
constexpr uint64_t twoOverPi64[] = {
    0x0000000000000145, 0xf306dc9c882a53f8, 0x4eafa3ea69bb81b6, 0xc52b3278872083fc, 0xa2c757bd778ac36e,
    0x48dc74849ba5c00c, 0x925dd413a32439fc, 0x3bd63962534e7dd1, 0x046bea5d768909d3, 0x38e04d68befc8273,
    0x23ac7306a673e939, 0x08bf177bf250763f, 0xf12fffbc0b301fde, 0x5e2316b414da3eda, 0x6cfd9e4f96136e9e,
    0x8c7ecd3cbfd45aea, 0x4f758fd7cbe2f67a, 0x0e73ef14a525d4d7, 0xf6bf623f1aba10ac};

namespace {

/// An angle in units of pi/2: an integer `quarter`, of which only the two lowest bits are valid, plus a remainder
/// between -1/2 and 1/2. All bits of `negative` are 1 if the remainder is negative, and 0 otherwise. The words `upper`
/// and `lower` contain the magnitude of the remainder, with 2 bits before the binary point. The last bit may be wrong.
struct FixedPoint {
  Value quarter, negative, upper, lower;
};

/// Multiplies a number by 2/pi. The number is m 2^(k-p), where m is an integer with p = 24 (f64: 53) binary digits. m
/// is multiplied by the three words of 2/pi that begin at bit k. Bits of 2/pi before these words only add multiples of
/// 4 to the product, and bits after these words add less than 2^-70 (f64: 2^-137). In the first two words of the
/// product, the two bits before the binary point are the number of the quarter, and the 62 (f64: 126) bits after the
/// binary point are the remainder. This number of bits suffices, because no f32 is closer than 2^-32 to a multiple of
/// pi/2 other than 0, and no f64 is closer than 2^-62.
FixedPoint inQuarters(MathBuilder &b, Value magnitude) {
  int64_t width = b.width, fraction = b.fractionBits(), hidden = int64_t(1) << fraction;
  Value word = b.bitsOf(magnitude);
  Value k = b.addBits(b.shiftRight(word, fraction), b.integer(1 - b.bias()));
  Value m = b.make<arith::OrIOp>(b.andBits(word, hidden - 1), b.integer(hidden));

  // Drop the words before the one that contains bit k.
  SmallVector<Value> words;
  if (b.isWide())
    llvm::append_range(words, llvm::map_range(twoOverPi64, [&](uint64_t bits) { return b.integer(bits); }));
  else
    llvm::append_range(words, llvm::map_range(twoOverPi32, [&](int64_t bits) { return b.integer(bits); }));
  for (unsigned step = b.isWide() ? 16 : 4; step; step /= 2) {
    Value farther = b.make<arith::CmpIOp>(arith::CmpIPredicate::ne, b.andBits(k, step * width), b.integer(0));
    for (unsigned i = 0; i + step < words.size(); ++i)
      words[i] = b.select(farther, words[i + step], words[i]);
  }
  // Shift the words so that the window of three words begins at bit k. A right shift by width - shift would be
  // undefined if `shift` is 0. So shift right by 1 and then by width - 1 - shift.
  Value shift = b.andBits(k, width - 1), back = b.make<arith::SubIOp>(b.integer(width - 1), shift);
  Value window[3];
  for (unsigned i = 0; i < 3; ++i) {
    Value high = b.make<arith::ShLIOp>(words[i], shift);
    Value low = b.make<arith::ShRUIOp>(b.shiftRight(words[i + 1], 1), back);
    window[i] = b.make<arith::OrIOp>(high, low);
  }

  // Compute the first two words of the product.
  auto middle = arith::MulUIExtendedOp::create(b, m, window[1]),
       minimum = arith::MulUIExtendedOp::create(b, m, window[2]);
  Value low = b.addBits(middle.getLow(), minimum.getHigh());
  Value carry = b.make<arith::ExtUIOp>(b.bits, b.make<arith::CmpIOp>(arith::CmpIPredicate::ult, low, middle.getLow()));
  Value high = b.addBits(b.addBits(b.make<arith::MulIOp>(m, window[0]), middle.getHigh()), carry);

  // Round to the nearest quarter, and split the remainder into its sign and its magnitude.
  int64_t half = int64_t(1) << (width - 3);
  Value rounded = b.addBits(high, b.integer(half));
  Value rest = b.addBits(b.andBits(rounded, 2 * half - 1), b.integer(-half));
  Value negative = b.make<arith::ShRSIOp>(rest, b.integer(width - 1));
  return {b.shiftRight(rounded, width - 2), negative, b.xorBits(rest, negative), b.xorBits(low, negative)};
}

/// Converts a signed integer to a float.
Value toNumber(MathBuilder &b, Value bits) { return b.make<arith::SIToFPOp>(b.type, bits); }

/// Returns the magnitude of the remainder times pi/2 in f32. pi/2 is split into two constants, of which the first has
/// 24 binary digits.
DoubleWord angle32(MathBuilder &b, const FixedPoint &x) {
  constexpr double halfPi = llvm::numbers::pi / 2, firstPart = 0x1.921fb6p0;
  Value upper = toNumber(b, x.upper), lower = toNumber(b, b.shiftRight(x.lower, 1));
  Value small = b.mul(lower, b.number(halfPi * 0x1p-61));
  small = b.fma(upper, b.number((halfPi - firstPart) * 0x1p-30), small);
  return {b.fma(upper, b.number(firstPart * 0x1p-30), small), nullptr};
}

/// Returns the magnitude of the remainder times pi/2 as a double word of f64. The 125 bits of the remainder are split
/// into three f64 numbers without error.
DoubleWord angle64(MathBuilder &b, const FixedPoint &x) {
  Value first = b.mul(toNumber(b, b.andBits(x.upper, -512)), b.number(0x1p-62));
  Value middle = b.make<arith::OrIOp>(b.shiftLeft(b.andBits(x.upper, 511), 44), b.shiftRight(x.lower, 20));
  Value last = b.mul(toNumber(b, b.andBits(x.lower, (1 << 20) - 1)), b.number(0x1p-126));
  DoubleWord quarters = orderedSum(b, first, b.mul(toNumber(b, middle), b.number(0x1p-106)));
  quarters.low = b.add(quarters.low, last);
  return product(b, quarters, doubleWord(b, 0x1.921fb54442d18p0, 0x1.1a62633145c07p-54));
}

} // namespace

ReducedAngle heddle::reduceAngle(MathBuilder &b, Value magnitude) {
  FixedPoint fixed = inQuarters(b, magnitude);
  DoubleWord angle = b.isWide() ? angle64(b, fixed) : angle32(b, fixed);
  // An angle up to pi/4 needs no reduction.
  Value none = b.compare(arith::CmpFPredicate::OLE, magnitude, b.isWide() ? 0x1.921fb54442d18p-1 : 0x1.921fb6p-1);
  Value sign = b.andBits(fixed.negative, b.signMask());
  angle.high = b.select(none, magnitude, b.flipSign(angle.high, sign));
  if (angle.low)
    angle.low = b.select(none, b.number(0.0), b.flipSign(angle.low, sign));
  return {angle, b.select(none, b.integer(0), fixed.quarter)};
}
