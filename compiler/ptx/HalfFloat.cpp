//===- HalfFloat.cpp - arithmetic on f16 and bf16 -------------------------===//

#include "Float.h"
#include "LaneLoops.h"
#include "Rounding.h"

#include <cmath>

using namespace heddle::ptx;

namespace {

/// Conversions between f16 or bf16 and f64. Operations on these types compute in f64.
struct Half {
  static double widen(uint16_t bits) { return fromHalf(bits); }
  static uint16_t narrow(double value) { return toHalf(value); }
};
struct BFloat {
  static double widen(uint16_t bits) { return fromBFloat(bits); }
  static uint16_t narrow(double value) { return toBFloat(value); }
};

// The product of two 16-bit floats is exact in f64. Sums are rounded to odd, so that rounding them again, to 16 bits,
// gives the correctly rounded sum. All operations have three parameters, so that `arithmetic` can call any of them.
struct HalfAdd {
  double operator()(double a, double b, double) const { return addToOdd(a, b); }
};
struct HalfSubtract {
  double operator()(double a, double b, double) const { return addToOdd(a, -b); }
};
struct HalfMultiply {
  double operator()(double a, double b, double) const { return a * b; }
};
struct HalfMultiplyAdd {
  double operator()(double a, double b, double c) const { return addToOdd(a * b, c); }
};
/// The minimum or the maximum of a and b. If exactly one of them is NaN, the result is NaN if `nan` is true, and the
/// operand that is not NaN if `nan` is false.
template <bool maximum, bool nan> struct HalfExtreme {
  double operator()(double a, double b, double) const {
    if (a != a || b != b)
      return nan || (a != a && b != b) ? double(NAN) : a != a ? b : a;
    if (a == b)
      return std::signbit(a) != maximum ? a : b;
    return (a < b) != maximum ? a : b;
  }
};

/// Executes an operation on `count` numbers in each lane: 1, or 2 for pairs such as f16x2.
template <typename Format, typename Op, unsigned count>
void arithmetic(Warp &warp, const Instruction &instruction, Lanes lanes) {
  alignas(uint32_t) uint16_t results[warpSize * count];
  // An operation with two operands ignores its third parameter. For such an operation, the decoder has set the row c to
  // the row of a, because this loop reads it.
  const uint16_t *a = warp.row<uint16_t>(instruction.a), *b = warp.row<uint16_t>(instruction.b),
                 *c = warp.row<uint16_t>(instruction.c);
  for (unsigned i = 0; i < warpSize * count; ++i)
    results[i] = Format::narrow(Op()(Format::widen(a[i]), Format::widen(b[i]), Format::widen(c[i])));
  if constexpr (count == 1)
    warp.set(instruction.d, results, lanes);
  else
    warp.set(instruction.d, reinterpret_cast<const uint32_t *>(results), lanes);
}

/// Keeps the bits of `kept` and inverts the bits of `set`: computes the absolute value or the negative of a float.
template <typename T, uint32_t set, uint32_t kept> struct Sign {
  T operator()(T bits) const { return T((bits & T(kept)) ^ T(set)); }
};

template <typename Op> Execute pick(Type type) {
  if (type.kind == Type::Float)
    return type.pair ? arithmetic<Half, Op, 2> : arithmetic<Half, Op, 1>;
  return type.pair ? arithmetic<BFloat, Op, 2> : arithmetic<BFloat, Op, 1>;
}

Execute pick(Type type, HalfOp op) {
  switch (op) {
  case HalfOp::Add:
    return pick<HalfAdd>(type);
  case HalfOp::Subtract:
    return pick<HalfSubtract>(type);
  case HalfOp::Multiply:
    return pick<HalfMultiply>(type);
  case HalfOp::MultiplyAdd:
    return pick<HalfMultiplyAdd>(type);
  case HalfOp::Minimum:
    return pick<HalfExtreme<false, false>>(type);
  case HalfOp::Maximum:
    return pick<HalfExtreme<true, false>>(type);
  case HalfOp::MinimumNaN:
    return pick<HalfExtreme<false, true>>(type);
  case HalfOp::MaximumNaN:
    return pick<HalfExtreme<true, true>>(type);
  }
  return nullptr;
}

} // namespace

/// Fails if the instruction has `.ftz`.
static bool refuseFlush(Decoder &decoder, bool flush) {
  return !flush || decoder.fail("'.ftz' is not supported for types of 16 bits");
}

bool heddle::ptx::decodeHalfArithmetic(Decoder &decoder, Type type, bool flush, HalfOp op) {
  Instruction &out = decoder.out;
  if (!refuseFlush(decoder, flush))
    return false;
  bool three = op == HalfOp::MultiplyAdd;
  if (!decoder.expectOperands(three ? 4 : 3) || !decoder.destination(0, type, out.d) ||
      !decoder.source(1, type, out.a) || !decoder.source(2, type, out.b) || !decoder.source(three ? 3 : 1, type, out.c))
    return false;
  return decoder.finish(pick(type, op));
}

bool heddle::ptx::decodeHalfSign(Decoder &decoder, Type type, bool flush, bool absolute) {
  if (!refuseFlush(decoder, flush) || !decoder.expectOperands(2) || !decoder.destination(0, type, decoder.out.d) ||
      !decoder.source(1, type, decoder.out.a))
    return false;
  if (type.pair)
    return decoder.finish(absolute ? unary<uint32_t, uint32_t, Sign<uint32_t, 0, 0x7fff7fff>>
                                   : unary<uint32_t, uint32_t, Sign<uint32_t, 0x80008000, 0xffffffff>>);
  return decoder.finish(absolute ? unary<uint16_t, uint16_t, Sign<uint16_t, 0, 0x7fff>>
                                 : unary<uint16_t, uint16_t, Sign<uint16_t, 0x8000, 0xffff>>);
}
