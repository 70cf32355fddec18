//===- Float.cpp - arithmetic on f32 and f64 ------------------------------===//

#include "Float.h"

#include "Instructions.h"
#include "Integer.h"
#include "LaneLoops.h"

#include <cmath>

using namespace heddle::ptx;

namespace {

struct FloatAdd {
  template <typename T> T operator()(T a, T b) const { return a + b; }
};
struct FloatSubtract {
  template <typename T> T operator()(T a, T b) const { return a - b; }
};
struct FloatMultiply {
  template <typename T> T operator()(T a, T b) const { return a * b; }
};
struct FloatDivide {
  template <typename T> T operator()(T a, T b) const { return a / b; }
};
struct FloatNegate {
  template <typename T> T operator()(T a) const { return -a; }
};
struct FloatAbsolute {
  template <typename T> T operator()(T a) const { return std::fabs(a); }
};
struct Reciprocal {
  template <typename T> T operator()(T a) const { return T(1) / a; }
};
struct SquareRoot {
  template <typename T> T operator()(T a) const { return std::sqrt(a); }
};
struct ReciprocalSquareRoot { // GPUs approximate this function; this interpreter computes in f64 and rounds
  template <typename T> T operator()(T a) const { return T(1 / std::sqrt(double(a))); }
};
struct CopySign { // in PTX, the first operand is the sign
  template <typename T> T operator()(T sign, T magnitude) const { return std::copysign(magnitude, sign); }
};
struct FloatMultiplyAdd {
  template <typename T> T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};

/// Returns the NaN that GPUs produce: all bits are set except the sign.
template <typename T> T canonicalNan() {
  uint64_t bits = sizeof(T) == 4 ? 0x7fffffff : 0x7fffffffffffffff;
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The minimum or the maximum of two numbers. -0 is less than +0. If exactly one operand is NaN, the result is NaN if
/// `nan` is true, and the operand that is not NaN if `nan` is false.
template <bool maximum, bool nan> struct FloatExtreme {
  template <typename T> T operator()(T a, T b) const {
    if (a != a || b != b)
      return nan || (a != a && b != b) ? canonicalNan<T>() : a != a ? b : a;
    if (a == b)
      return std::signbit(a) != maximum ? a : b;
    return (a < b) != maximum ? a : b;
  }
};

// Executes fma on f32. The loop is compiled for AVX2 and FMA, because a loop that calls std::fma for each of the 32
// lanes takes ten times as long.
__attribute__((target("avx2,fma"))) void multiplyAdd32(Warp &warp, const Instruction &instruction, Lanes lanes) {
  float results[warpSize];
  const float *a = warp.row<float>(instruction.a), *b = warp.row<float>(instruction.b),
              *c = warp.row<float>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  warp.set(instruction.d, results, lanes);
}

} // namespace

/// Return the loop of an operation on f64 or f32, with the semantics of `.ftz` if `flush` is true. Return null for f64
/// with `.ftz`, which PTX does not have.
template <typename Op> static Execute pickUnary(Type type, bool flush) {
  if (type.is(Type::Float, 8))
    return flush ? nullptr : unary<double, double, Op>;
  return flush ? unary<float, float, Flushed<Op>> : unary<float, float, Op>;
}
template <typename Op> static Execute pickBinary(Type type, bool flush) {
  if (type.is(Type::Float, 8))
    return flush ? nullptr : binary<double, Op>;
  return flush ? binary<float, Flushed<Op>> : binary<float, Op>;
}

/// Decode the operands of d = op(a) and of d = op(a, b), all of which have type `type`.
static bool takeUnary(Decoder &decoder, Type type) {
  return decoder.expectOperands(2) && decoder.destination(0, type, decoder.out.d) &&
         decoder.source(1, type, decoder.out.a);
}
static bool takeBinary(Decoder &decoder, Type type) {
  return decoder.expectOperands(3) && decoder.destination(0, type, decoder.out.d) &&
         decoder.source(1, type, decoder.out.a) && decoder.source(2, type, decoder.out.b);
}

/// Returns whether HalfFloat.cpp computes operations on this type: f16, bf16 or a pair of them.
static bool takesHalf(Type type) { return type.isFloat() && (type.bytes == 2 || type.pair); }

/// Consumes the modifiers of arithmetic: the type, which must be numeric, and for floats also `.ftz` and the rounding
/// mode `.rn` (to nearest). Other rounding modes are not consumed, so Decoder::finish refuses them.
static bool takeArithmetic(Decoder &decoder, Type &type, bool &flush) {
  std::optional<Type> taken = decoder.takeLastType();
  if (!taken || taken->kind == Type::Predicate)
    return decoder.fail("expected a numeric type");
  type = *taken;
  if (!type.isFloat())
    return true;
  decoder.take("rn");
  flush = decoder.take("ftz");
  return true;
}

bool heddle::ptx::decodeAdd(Decoder &decoder) {
  Type type;
  bool flush = false, subtract = decoder.statement.opcode.starts_with("sub");
  if (!takeArithmetic(decoder, type, flush))
    return false;
  if (type.isInteger())
    return decodeIntegerAdd(decoder, type, subtract);
  if (takesHalf(type))
    return decodeHalfArithmetic(decoder, type, flush, subtract ? HalfOp::Subtract : HalfOp::Add);
  return takeBinary(decoder, type) &&
         decoder.finish(subtract ? pickBinary<FloatSubtract>(type, flush) : pickBinary<FloatAdd>(type, flush));
}

bool heddle::ptx::decodeMultiply(Decoder &decoder) {
  Type type;
  bool flush = false;
  if (!takeArithmetic(decoder, type, flush))
    return false;
  if (type.isInteger())
    return decodeIntegerMultiply(decoder, type);
  if (takesHalf(type))
    return decodeHalfArithmetic(decoder, type, flush, HalfOp::Multiply);
  return takeBinary(decoder, type) && decoder.finish(pickBinary<FloatMultiply>(type, flush));
}

bool heddle::ptx::decodeMultiplyAdd(Decoder &decoder) {
  Type type;
  bool flush = false;
  if (!takeArithmetic(decoder, type, flush))
    return false;
  if (type.isInteger())
    return decodeIntegerMultiplyAdd(decoder, type);
  if (takesHalf(type))
    return decodeHalfArithmetic(decoder, type, flush, HalfOp::MultiplyAdd);
  if (!decoder.expectOperands(4) || !decoder.destination(0, type, decoder.out.d) ||
      !decoder.source(1, type, decoder.out.a) || !decoder.source(2, type, decoder.out.b) ||
      !decoder.source(3, type, decoder.out.c))
    return false;
  if (type.is(Type::Float, 8))
    return decoder.finish(flush ? nullptr : ternary<double, FloatMultiplyAdd>);
  if (flush)
    return decoder.finish(ternary<float, Flushed<FloatMultiplyAdd>>);
  static const bool hasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  return decoder.finish(hasFma ? multiplyAdd32 : ternary<float, FloatMultiplyAdd>);
}

bool heddle::ptx::decodeDivide(Decoder &decoder) {
  Type type;
  bool flush = false;
  // This interpreter rounds quotients to nearest, even if the instruction allows an approximation.
  bool approximate = decoder.take("approx") || decoder.take("full");
  if (!takeArithmetic(decoder, type, flush))
    return false;
  if (type.isInteger() && !approximate)
    return decodeIntegerDivide(decoder, type, decoder.statement.opcode.starts_with("rem"));
  if (!type.is(Type::Float, 4) && !type.is(Type::Float, 8))
    return decoder.finish(Execute(nullptr));
  return takeBinary(decoder, type) && decoder.finish(pickBinary<FloatDivide>(type, flush));
}

bool heddle::ptx::decodeMinimum(Decoder &decoder) {
  Type type;
  bool flush = false, maximum = decoder.statement.opcode.starts_with("max");
  if (!takeArithmetic(decoder, type, flush))
    return false;
  if (type.isInteger())
    return decodeIntegerMinimum(decoder, type, maximum);
  bool nan = decoder.take("NaN");
  if (takesHalf(type))
    return decodeHalfArithmetic(decoder, type, flush,
                                maximum ? (nan ? HalfOp::MaximumNaN : HalfOp::Maximum)
                                        : (nan ? HalfOp::MinimumNaN : HalfOp::Minimum));
  if (!takeBinary(decoder, type))
    return false;
  if (maximum)
    return decoder.finish(nan ? pickBinary<FloatExtreme<true, true>>(type, flush)
                              : pickBinary<FloatExtreme<true, false>>(type, flush));
  return decoder.finish(nan ? pickBinary<FloatExtreme<false, true>>(type, flush)
                            : pickBinary<FloatExtreme<false, false>>(type, flush));
}

bool heddle::ptx::decodeNegate(Decoder &decoder) {
  Type type;
  bool flush = false, absolute = decoder.statement.opcode.starts_with("abs");
  if (!takeArithmetic(decoder, type, flush))
    return false;
  if (type.isInteger())
    return decodeIntegerNegate(decoder, type, absolute);
  if (takesHalf(type))
    return decodeHalfSign(decoder, type, flush, absolute);
  return takeUnary(decoder, type) &&
         decoder.finish(absolute ? pickUnary<FloatAbsolute>(type, flush) : pickUnary<FloatNegate>(type, flush));
}

bool heddle::ptx::decodeCopySign(Decoder &decoder) {
  Type type;
  bool flush = false;
  if (!takeArithmetic(decoder, type, flush) || !takeBinary(decoder, type))
    return false;
  bool known = type.is(Type::Float, 4) || type.is(Type::Float, 8);
  return decoder.finish(known && !flush ? pickBinary<CopySign>(type, false) : nullptr);
}

bool heddle::ptx::decodeReciprocal(Decoder &decoder) {
  Type type;
  bool flush = false;
  llvm::StringRef mnemonic = decoder.statement.opcode.split('.').first;
  bool approximate = decoder.take("approx");
  if (!takeArithmetic(decoder, type, flush) || !takeUnary(decoder, type))
    return false;
  if (!type.is(Type::Float, 4) && !type.is(Type::Float, 8))
    return decoder.finish(Execute(nullptr));
  if (mnemonic == "rsqrt")
    return approximate ? decoder.finish(pickUnary<ReciprocalSquareRoot>(type, flush))
                       : decoder.fail("expected .approx");
  return decoder.finish(mnemonic == "rcp" ? pickUnary<Reciprocal>(type, flush) : pickUnary<SquareRoot>(type, flush));
}
