//===- Convert.cpp - conversions between number types ---------------------===//

#include "Instructions.h"
#include "LaneLoops.h"
#include "Rounding.h"

#include <cmath>

using namespace heddle::ptx;

namespace {

/// The details of a conversion, which the decoder stores in the bytes of Instruction::offset.
struct Conversion {
  Type::Kind fromKind, toKind;
  uint8_t fromBytes, toBytes;       // the sizes of the types in bytes
  uint8_t fromRegister, toRegister; // the sizes of the registers in bytes, at least the sizes of the types
  Rounding rounding;
  uint8_t flags; // a combination of values of Flag

  /// ToWhole: round to an integer (`.rni`). Saturate: `.sat`. Flush: flush denormals to zero (`.ftz`). NotNegative:
  /// replace negative results by 0 (`.relu`).
  enum Flag : uint8_t { ToWhole = 1, Saturate = 2, Flush = 4, NotNegative = 8 };
  bool has(Flag flag) const { return flags & flag; }
  static Conversion of(const Instruction &instruction) {
    Conversion conversion;
    std::memcpy(&conversion, &instruction.offset, sizeof conversion);
    return conversion;
  }
};
static_assert(sizeof(Conversion) == sizeof(Instruction::offset));

/// Returns the bits of one lane of a register of `bytes` bytes.
uint64_t bitsOf(Warp &warp, Row row, unsigned bytes, unsigned lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, warp.row<char>(row) + lane * bytes, bytes);
  return bits;
}

/// Extends the lowest `bytes` bytes to 64 bits. Extends the sign if `isSigned`.
int64_t extend(uint64_t bits, unsigned bytes, bool isSigned) {
  unsigned unused = 64 - 8 * bytes;
  return isSigned ? int64_t(bits << unused) >> unused : int64_t(bits << unused >> unused);
}

float flushed(float value) { return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value; }

/// Returns the value of a float of the source type, which double represents exactly.
double toDouble(const Conversion &how, uint64_t bits) {
  if (how.fromBytes == 2)
    return how.fromKind == Type::Float ? fromHalf(uint16_t(bits)) : fromBFloat(uint16_t(bits));
  if (how.fromBytes == 4) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return how.has(Conversion::Flush) ? flushed(value) : value;
  }
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Rounds a value to the destination's floating-point type and returns the bits of the result. The value must be exact
/// or rounded to odd (see addToOdd), because rounding a value twice to nearest may give a wrong result.
uint64_t toFloat(const Conversion &how, double value) {
  if (how.has(Conversion::Saturate))
    value = value > 0 ? std::fmin(value, 1.0) : 0;
  if (how.has(Conversion::NotNegative) && value <= 0)
    value = 0;
  if (how.toBytes == 2)
    return how.toKind == Type::Float ? toHalf(value, how.rounding) : toBFloat(value, how.rounding);
  if (how.toBytes == 4) {
    uint32_t bits = roundTo(value, 8, 23, how.rounding);
    bool denormal = !(bits & 0x7f800000);
    return how.has(Conversion::Flush) && denormal ? bits & 0x80000000 : bits;
  }
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double toWhole(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  }
  return value;
}

/// Rounds a value to an integer, clamps the integer to the range of the destination type and returns its bits. If the
/// value is NaN, returns 0 or, if the source or the destination has 64 bits, a number in which only the highest bit is
/// set.
uint64_t toInteger(const Conversion &how, double value) {
  unsigned bits = 8 * how.toBytes;
  if (std::isnan(value))
    return how.fromBytes == 8 || how.toBytes == 8 ? uint64_t(1) << (bits - 1) : 0;
  value = toWhole(value, how.rounding);
  if (how.toKind == Type::Signed) {
    double limit = std::ldexp(1.0, int(bits) - 1);
    if (value >= limit)
      return (uint64_t(1) << (bits - 1)) - 1;
    return uint64_t(int64_t(std::fmax(value, -limit)));
  }
  if (value <= 0)
    return 0;
  return value >= std::ldexp(1.0, int(bits)) ? ~uint64_t(0) : uint64_t(value);
}

/// Clamps an integer to the range of the destination type, for `.sat`.
uint64_t saturated(const Conversion &how, int64_t value) {
  unsigned bits = 8 * how.toBytes;
  bool huge = how.fromKind != Type::Signed && value < 0; // an unsigned number of at least 2^63
  int64_t high = how.toKind == Type::Signed ? int64_t((uint64_t(1) << (bits - 1)) - 1)
                 : bits < 64                ? int64_t((uint64_t(1) << bits) - 1)
                                            : INT64_MAX;
  int64_t low = how.toKind == Type::Signed ? -high - 1 : 0;
  if (huge)
    return how.toKind != Type::Signed && bits == 64 ? uint64_t(value) : uint64_t(high);
  return uint64_t(std::min(std::max(value, low), high));
}

/// Converts the value of one lane.
uint64_t convertOne(const Conversion &how, uint64_t bits) {
  bool fromFloat = how.fromKind >= Type::Float, toFloats = how.toKind >= Type::Float;
  if (!fromFloat) {
    int64_t value = extend(bits, how.fromBytes, how.fromKind == Type::Signed);
    if (!toFloats)
      return how.has(Conversion::Saturate) ? saturated(how, value) : uint64_t(value);
    bool isSigned = how.fromKind == Type::Signed;
    double high = isSigned ? double(value >> 32) : double(uint64_t(value) >> 32);
    if (how.toBytes == 8) // The conversion to f64 rounds only once.
      return toFloat(how, isSigned ? double(value) : double(uint64_t(value)));
    return toFloat(how, addToOdd(std::ldexp(high, 32), double(uint32_t(value))));
  }
  double value = toDouble(how, bits);
  if (!toFloats)
    return toInteger(how, value);
  if (how.has(Conversion::ToWhole))
    return toFloat(how, std::copysign(toWhole(value, how.rounding), value));
  return toFloat(how, value);
}

void convert(Warp &warp, const Instruction &instruction, Lanes lanes) {
  Conversion how = Conversion::of(instruction);
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = unsigned(__builtin_ctz(lanes));
    uint64_t result = convertOne(how, bitsOf(warp, instruction.a, how.fromRegister, lane));
    result = uint64_t(extend(result, how.toBytes, how.toKind == Type::Signed));
    std::memcpy(warp.row<char>(instruction.d) + lane * how.toRegister, &result, how.toRegister);
  }
}

/// Executes `cvt.rn.bf16x2.f32 d, a, b`: the upper half of d is the rounded a, and the lower half is the rounded b.
void convertPair(Warp &warp, const Instruction &instruction, Lanes lanes) {
  Conversion how = Conversion::of(instruction);
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = unsigned(__builtin_ctz(lanes));
    uint64_t high = convertOne(how, bitsOf(warp, instruction.a, 4, lane));
    uint64_t low = convertOne(how, bitsOf(warp, instruction.b, 4, lane));
    warp.row<uint32_t>(instruction.d)[lane] = uint32_t(high << 16 | low);
  }
}

/// Computes a conversion as a C++ cast.
struct Cast {
  template <typename R, typename T> static void loop(Warp &warp, const Instruction &instruction, Lanes lanes) {
    unary<R, T, To<R>>(warp, instruction, lanes);
  }

private:
  template <typename R> struct To {
    template <typename T> R operator()(T value) const { return R(value); }
  };
};

} // namespace

/// Returns a specialised loop for the conversions that kernels use most, and null for all other conversions.
static Execute pickUsual(const Conversion &how) {
  bool whole = how.fromBytes == how.fromRegister && how.toBytes == how.toRegister;
  if (!whole || how.flags || how.rounding != Rounding::Nearest || how.fromKind >= Type::Float)
    return nullptr;
  bool isSigned = how.fromKind == Type::Signed;
  if (how.toKind == Type::Float && how.toBytes == 4 && how.fromBytes == 4)
    return isSigned ? Cast::loop<float, int32_t> : Cast::loop<float, uint32_t>;
  if (how.toKind >= Type::Float)
    return nullptr;
  if (how.fromBytes == 8 && how.toBytes == 4)
    return Cast::loop<uint32_t, uint64_t>;
  if (how.fromBytes == 4 && how.toBytes == 8)
    return isSigned ? Cast::loop<uint64_t, int32_t> : Cast::loop<uint64_t, uint32_t>;
  return nullptr;
}

/// Reads the rounding mode of a conversion. Fails if the instruction has a mode that PTX does not allow or this
/// interpreter does not support for these types, or if PTX requires a mode and the instruction has none.
static bool takeRounding(Decoder &decoder, Type from, Type to, Conversion &how) {
  static constexpr std::pair<llvm::StringLiteral, Rounding> roundings[] = {
      {"rn", Rounding::Nearest}, {"rz", Rounding::Zero}, {"rm", Rounding::Down}, {"rp", Rounding::Up}};
  bool said = false, whole = false;
  for (auto [name, rounding] : roundings) {
    bool toWhole = decoder.take((name + "i").str());
    if (!toWhole && !decoder.take(name))
      continue;
    said = true;
    whole = toWhole;
    how.rounding = rounding;
  }
  // Whether a conversion to a float needs a rounding mode: the source is an integer, or the destination cannot
  // represent all values of the source.
  bool mayLose = to.isFloat() && (from.isInteger() || to.bytes < from.bytes || (to.bytes == 2 && to.kind != from.kind));
  bool needsWhole = to.isInteger() && from.isFloat();
  if (needsWhole != whole && !(whole && to.kind == from.kind && to.bytes == from.bytes))
    return decoder.fail(needsWhole ? "expected .rni, .rzi, .rmi or .rpi"
                                   : "rounding to an integer is not supported for these types");
  if (mayLose && !said)
    return decoder.fail("expected .rn, .rz, .rm or .rp");
  if (said && !whole && !mayLose)
    return decoder.fail("a rounding modifier is not allowed in a conversion that is exact");
  if (from.isInteger() && to.bytes == 8 && how.rounding != Rounding::Nearest)
    return decoder.fail("a conversion of an integer to f64 supports only the rounding .rn");
  how.flags |= whole ? Conversion::ToWhole : 0;
  return true;
}

/// Decodes `cvt.rn.f32.s32 %f1, %r1;` and `cvt.rn.bf16x2.f32 %r1, %f1, %f2;`.
bool heddle::ptx::decodeConvert(Decoder &decoder) {
  Instruction &out = decoder.out;
  std::optional<Type> from = decoder.takeLastType(), to = decoder.takeLastType();
  if (!from || !to || from->pair || from->kind == Type::Predicate || to->kind == Type::Predicate)
    return decoder.fail("a conversion between these types is not supported");
  Conversion how = {};
  bool pair = to->pair;
  Type target = pair ? Type{to->kind, 2} : *to;
  how.flags |= decoder.take("sat") ? Conversion::Saturate : 0;
  how.flags |= decoder.take("ftz") ? Conversion::Flush : 0;
  how.flags |= decoder.take("relu") ? Conversion::NotNegative : 0;
  if (!takeRounding(decoder, *from, target, how))
    return false;
  if (how.has(Conversion::NotNegative) && !(from->isFloat() && target.isFloat() && target.bytes == 2))
    return decoder.fail("'.relu' is supported only in conversions of floats to f16 or bf16");
  how.fromKind = from->kind == Type::Bits ? Type::Unsigned : from->kind;
  how.toKind = target.kind == Type::Bits ? Type::Unsigned : target.kind;
  how.fromBytes = from->bytes;
  how.toBytes = target.bytes;
  if (pair) {
    if (!from->is(Type::Float, 4))
      return decoder.fail("only values of type f32 can be converted to a pair");
    if (!decoder.expectOperands(3) || !decoder.destination(0, {Type::Bits, 4}, out.d) ||
        !decoder.source(1, *from, out.a) || !decoder.source(2, *from, out.b))
      return false;
    std::memcpy(&out.offset, &how, sizeof how);
    return decoder.finish(convertPair);
  }
  Type fromRegister, toRegister;
  if (!decoder.expectOperands(2) || !decoder.destinationAtLeast(decoder.operand(0), *to, out.d, toRegister) ||
      !decoder.sourceAtLeast(decoder.operand(1), *from, out.a, fromRegister))
    return false;
  how.fromRegister = fromRegister.bytes;
  how.toRegister = toRegister.bytes;
  std::memcpy(&out.offset, &how, sizeof how);
  Execute usual = pickUsual(how);
  return decoder.finish(usual ? usual : convert);
}
