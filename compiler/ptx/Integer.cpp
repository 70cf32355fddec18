//===- Integer.cpp - arithmetic on integers -------------------------------===//

#include "Integer.h"

#include "Instructions.h"
#include "LaneLoops.h"

#include <limits>
#include <type_traits>

using namespace heddle::ptx;

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;
/// The integer type of twice the width, which can represent every product of two T.
template <typename T>
using Wide =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

// Results wrap. Signed overflow is undefined in C++, so the operations compute with unsigned numbers. Products of
// 16-bit numbers also use a larger type, because C++ promotes uint16_t to int, whose overflow is undefined.
struct IntegerAdd {
  template <typename T> T operator()(T a, T b) const { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
};
struct IntegerSubtract {
  template <typename T> T operator()(T a, T b) const { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
};
struct IntegerMultiplyLow {
  template <typename T> T operator()(T a, T b) const { return T(uint64_t(a) * uint64_t(b)); }
};
struct IntegerMultiplyHigh {
  template <typename T> T operator()(T a, T b) const { return T(Wide<T>(a) * Wide<T>(b) >> 8 * sizeof(T)); }
};
struct IntegerMultiplyWide {
  template <typename T> Wide<T> operator()(T a, T b) const { return Wide<T>(a) * Wide<T>(b); }
};
// In C++, division by 0 is undefined, as is the quotient of the lowest number and -1, which overflows. On GPUs both
// have results: division by 0 returns a number with all bits 1, and the other quotient wraps.
struct Quotient {
  template <typename T> T operator()(T a, T b) const {
    if (!b)
      return T(-1);
    return b == T(-1) && std::is_signed_v<T> ? T(0 - Unsigned<T>(a)) : T(a / b);
  }
};
struct Remainder {
  template <typename T> T operator()(T a, T b) const {
    if (!b)
      return a;
    return b == T(-1) && std::is_signed_v<T> ? T(0) : T(a % b);
  }
};
struct IntegerMinimum {
  template <typename T> T operator()(T a, T b) const { return a < b ? a : b; }
};
struct IntegerMaximum {
  template <typename T> T operator()(T a, T b) const { return a > b ? a : b; }
};
struct IntegerMultiplyAddLow {
  template <typename T> T operator()(T a, T b, T c) const { return T(uint64_t(a) * uint64_t(b) + uint64_t(c)); }
};
struct IntegerMultiplyAddHigh {
  template <typename T> T operator()(T a, T b, T c) const { return IntegerAdd()(IntegerMultiplyHigh()(a, b), c); }
};
struct IntegerNegate {
  template <typename T> T operator()(T a) const { return T(0 - Unsigned<T>(a)); }
};
struct IntegerAbsolute {
  template <typename T> T operator()(T a) const { return a < 0 ? IntegerNegate()(a) : a; }
};

// The loops of operations with two, three and one operands. `pickInteger` (LaneLoops.h) selects Pick<T>::loop for the
// type T of an instruction.
template <typename Op> struct OfTwo {
  template <typename T> struct Pick { static constexpr Execute loop = binary<T, Op>; };
};
template <typename Op> struct OfThree {
  template <typename T> struct Pick { static constexpr Execute loop = ternary<T, Op>; };
};
template <typename Op> struct OfOne {
  template <typename T> struct Pick { static constexpr Execute loop = unary<T, T, Op>; };
};

/// Executes mad.wide: d = a * b + c, where c and d have twice the width of a and b.
template <typename T> void multiplyAddWide(Warp &warp, const Instruction &instruction, Lanes lanes) {
  using R = Wide<T>;
  R results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  const R *c = warp.row<R>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = IntegerAdd()(IntegerMultiplyWide()(a[lane], b[lane]), c[lane]);
  warp.set(instruction.d, results, lanes);
}

} // namespace

/// Decodes the operands of d = op(a, b), all of which have type `type`.
static bool takeTwo(Decoder &decoder, Type type) {
  return decoder.expectOperands(3) && decoder.destination(0, type, decoder.out.d) &&
         decoder.source(1, type, decoder.out.a) && decoder.source(2, type, decoder.out.b);
}

bool heddle::ptx::decodeIntegerAdd(Decoder &decoder, Type type, bool subtract) {
  return takeTwo(decoder, type) && decoder.finish(subtract ? pickInteger<OfTwo<IntegerSubtract>::Pick>(type)
                                                           : pickInteger<OfTwo<IntegerAdd>::Pick>(type));
}

bool heddle::ptx::decodeIntegerMinimum(Decoder &decoder, Type type, bool maximum) {
  return takeTwo(decoder, type) && decoder.finish(maximum ? pickInteger<OfTwo<IntegerMaximum>::Pick>(type)
                                                          : pickInteger<OfTwo<IntegerMinimum>::Pick>(type));
}

bool heddle::ptx::decodeIntegerDivide(Decoder &decoder, Type type, bool remainder) {
  return takeTwo(decoder, type) && decoder.finish(remainder ? pickInteger<OfTwo<Remainder>::Pick>(type)
                                                            : pickInteger<OfTwo<Quotient>::Pick>(type));
}

bool heddle::ptx::decodeIntegerNegate(Decoder &decoder, Type type, bool absolute) {
  if (!decoder.expectOperands(2) || !decoder.destination(0, type, decoder.out.d) ||
      !decoder.source(1, type, decoder.out.a))
    return false;
  type.kind = Type::Signed;
  return decoder.finish(absolute ? pickInteger<OfOne<IntegerAbsolute>::Pick>(type)
                                 : pickInteger<OfOne<IntegerNegate>::Pick>(type));
}

/// Sets `wide` to the type of a wide product (`mul.wide`). Only 16-bit and 32-bit integers have one.
static bool widen(Decoder &decoder, Type type, Type &wide) {
  wide = {type.kind, uint8_t(2 * type.bytes)};
  return (!type.pair && (type.bytes == 2 || type.bytes == 4)) ||
         decoder.fail("the factors of a wide product must have 16 or 32 bits");
}

bool heddle::ptx::decodeIntegerMultiply(Decoder &decoder, Type type) {
  Instruction &out = decoder.out;
  Type wide;
  if (decoder.take("wide")) {
    if (!widen(decoder, type, wide) || !decoder.expectOperands(3) || !decoder.destination(0, wide, out.d) ||
        !decoder.source(1, type, out.a) || !decoder.source(2, type, out.b))
      return false;
    if (type.bytes == 2)
      return decoder.finish(type.isSigned() ? binaryWide<int32_t, int16_t, IntegerMultiplyWide>
                                            : binaryWide<uint32_t, uint16_t, IntegerMultiplyWide>);
    return decoder.finish(type.isSigned() ? binaryWide<int64_t, int32_t, IntegerMultiplyWide>
                                          : binaryWide<uint64_t, uint32_t, IntegerMultiplyWide>);
  }
  bool high = decoder.take("hi");
  if (!high && !decoder.take("lo"))
    return decoder.fail("expected .lo, .hi or .wide");
  return takeTwo(decoder, type) && decoder.finish(high ? pickInteger<OfTwo<IntegerMultiplyHigh>::Pick>(type)
                                                       : pickInteger<OfTwo<IntegerMultiplyLow>::Pick>(type));
}

bool heddle::ptx::decodeIntegerMultiplyAdd(Decoder &decoder, Type type) {
  Instruction &out = decoder.out;
  bool isWide = decoder.take("wide");
  Type wide = type;
  if ((isWide && !widen(decoder, type, wide)) || !decoder.expectOperands(4) || !decoder.destination(0, wide, out.d) ||
      !decoder.source(1, type, out.a) || !decoder.source(2, type, out.b) || !decoder.source(3, wide, out.c))
    return false;
  if (isWide && type.bytes == 2)
    return decoder.finish(type.isSigned() ? multiplyAddWide<int16_t> : multiplyAddWide<uint16_t>);
  if (isWide)
    return decoder.finish(type.isSigned() ? multiplyAddWide<int32_t> : multiplyAddWide<uint32_t>);
  bool high = decoder.take("hi");
  if (!high && !decoder.take("lo"))
    return decoder.fail("expected .lo, .hi or .wide");
  return decoder.finish(high ? pickInteger<OfThree<IntegerMultiplyAddHigh>::Pick>(type)
                             : pickInteger<OfThree<IntegerMultiplyAddLow>::Pick>(type));
}
