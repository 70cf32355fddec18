//===- Bits.cpp - logic, shifts and bit fields ----------------------------===//

#include "Instructions.h"
#include "LaneLoops.h"

using namespace heddle::ptx;

namespace {

struct And {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct ExclusiveOr {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};
struct Not {
  template <typename T> T operator()(T a) const { return T(~a); }
};
struct CountOnes {
  template <typename T> uint32_t operator()(T a) const { return uint32_t(__builtin_popcountll(a)); }
};
struct CountLeadingZeros {
  template <typename T> uint32_t operator()(T a) const {
    return a ? uint32_t(__builtin_clzll(a)) - (64 - 8 * sizeof(T)) : 8 * sizeof(T);
  }
};
struct Reverse {
  template <typename T> T operator()(T a) const {
    return T(sizeof(T) == 4 ? __builtin_bitreverse32(uint32_t(a)) : __builtin_bitreverse64(a));
  }
};
// In PTX, a shift by at least the width of the type moves all bits out. In C++, such a shift is undefined.
struct Left {
  template <typename T> T operator()(T a, uint32_t by) const { return by < 8 * sizeof(T) ? T(a << by) : T(0); }
};
struct Right {
  template <typename T> T operator()(T a, uint32_t by) const {
    if (by < 8 * sizeof(T))
      return T(a >> by);
    return a < 0 ? T(-1) : T(0);
  }
};

/// Executes shl and shr. The distance is a 32-bit number for all types.
template <typename T, typename Op> void shift(Warp &warp, const Instruction &instruction, Lanes lanes) {
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a);
  const uint32_t *b = warp.row<uint32_t>(instruction.b);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane], b[lane]);
  warp.set(instruction.d, results, lanes);
}

// `pickInteger` (LaneLoops.h) selects Pick<T>::loop for the type T of an instruction.
template <typename Op> struct Shift {
  template <typename T> struct Pick { static constexpr Execute loop = shift<T, Op>; };
};
template <typename Op> struct Logic {
  template <typename T> struct Pick { static constexpr Execute loop = binary<T, Op>; };
};
template <typename T> struct PickNot { static constexpr Execute loop = unary<T, T, Not>; };

/// Executes a logical operation on predicates. A predicate is one number with a bit for each lane.
template <typename Op> void predicateLogic(Warp &warp, const Instruction &instruction, Lanes lanes) {
  setPredicate(warp, instruction.d, Op()(warp.predicate(instruction.a), warp.predicate(instruction.b)), lanes);
}
void predicateNot(Warp &warp, const Instruction &instruction, Lanes lanes) {
  setPredicate(warp, instruction.d, ~warp.predicate(instruction.a), lanes);
}

/// Executes shf: shifts the 64-bit number whose halves are b (high) and a (low) by c, and returns its upper half for a
/// left shift and its lower half for a right shift. The distance is at most 32 with `clamp`, and modulo 32 otherwise.
template <bool left, bool clamp> void funnelShift(Warp &warp, const Instruction &instruction, Lanes lanes) {
  uint32_t results[warpSize];
  const uint32_t *low = warp.row<uint32_t>(instruction.a), *high = warp.row<uint32_t>(instruction.b),
                 *by = warp.row<uint32_t>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t both = uint64_t(high[lane]) << 32 | low[lane];
    uint32_t distance = clamp ? std::min(by[lane], 32u) : by[lane] & 31;
    results[lane] = uint32_t(left ? both << distance >> 32 : both >> distance);
  }
  warp.set(instruction.d, results, lanes);
}

/// Executes bfe: extracts a field of c bits from a, beginning at bit position b. For a signed type, extends the sign of
/// the field.
template <typename T> void extract(Warp &warp, const Instruction &instruction, Lanes lanes) {
  constexpr unsigned bits = 8 * sizeof(T);
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a);
  const uint32_t *from = warp.row<uint32_t>(instruction.b), *length = warp.row<uint32_t>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned place = from[lane] & 255, count = length[lane] & 255;
    bool sign = std::is_signed_v<T> && count && a[lane] >> std::min(place + count - 1, bits - 1) & 1;
    // The number of bits of the field that lie within a.
    unsigned there = place < bits ? std::min(count, bits - place) : 0;
    uint64_t mask = there < 64 ? (uint64_t(1) << there) - 1 : ~uint64_t(0);
    uint64_t value = place < bits ? uint64_t(a[lane]) >> place & mask : 0;
    value |= sign ? ~mask : 0;
    results[lane] = T(value);
  }
  warp.set(instruction.d, results, lanes);
}

/// Executes bfi: d is a copy of b into which the lowest e bits of a are inserted at bit position c.
template <typename T> void insert(Warp &warp, const Instruction &instruction, Lanes lanes) {
  constexpr unsigned bits = 8 * sizeof(T);
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  const uint32_t *from = warp.row<uint32_t>(instruction.c), *length = warp.row<uint32_t>(instruction.e);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned place = from[lane] & 255, count = length[lane] & 255;
    T ones = count < bits ? T((T(1) << count) - 1) : T(-1), mask = place < bits ? T(ones << place) : T(0);
    results[lane] = T((b[lane] & ~mask) | ((place < bits ? T(a[lane] << place) : T(0)) & mask));
  }
  warp.set(instruction.d, results, lanes);
}

/// Executes prmt: each byte of the result is one of the eight bytes of a and b, or eight copies of the highest bit of
/// one of them. Each selector in c has four bits: three for the index of the byte, and one that selects the copies.
void permute(Warp &warp, const Instruction &instruction, Lanes lanes) {
  uint32_t results[warpSize];
  const uint32_t *a = warp.row<uint32_t>(instruction.a), *b = warp.row<uint32_t>(instruction.b),
                 *selectors = warp.row<uint32_t>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t bytes = uint64_t(b[lane]) << 32 | a[lane];
    results[lane] = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned selector = selectors[lane] >> 4 * i & 15;
      uint8_t byte = uint8_t(bytes >> 8 * (selector & 7));
      if (selector & 8)
        byte = byte >> 7 ? 0xff : 0;
      results[lane] |= uint32_t(byte) << 8 * i;
    }
  }
  warp.set(instruction.d, results, lanes);
}

/// Executes lop3: applies a Boolean function of three operands to each bit. Bit i of `offset` is the result of the
/// function for the bits 2, 1 and 0 of i as the operands a, b and c.
void lookUp(Warp &warp, const Instruction &instruction, Lanes lanes) {
  uint32_t results[warpSize];
  const uint32_t *a = warp.row<uint32_t>(instruction.a), *b = warp.row<uint32_t>(instruction.b),
                 *c = warp.row<uint32_t>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    results[lane] = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (instruction.offset >> i & 1)
        results[lane] |= (i & 4 ? a[lane] : ~a[lane]) & (i & 2 ? b[lane] : ~b[lane]) & (i & 1 ? c[lane] : ~c[lane]);
  }
  warp.set(instruction.d, results, lanes);
}

} // namespace

/// Consumes the type, which is the last modifier. Fails if it is missing.
static bool takeBits(Decoder &decoder, Type &type) {
  std::optional<Type> taken = decoder.takeLastType();
  if (!taken)
    return decoder.fail("expected a type");
  type = *taken;
  return true;
}

constexpr Type number32 = {Type::Unsigned, 4};

bool heddle::ptx::decodeLogic(Decoder &decoder) {
  Instruction &out = decoder.out;
  Type type;
  llvm::StringRef mnemonic = decoder.statement.opcode.split('.').first;
  bool isNot = mnemonic == "not";
  if (!takeBits(decoder, type) || !decoder.expectOperands(isNot ? 2 : 3) || !decoder.destination(0, type, out.d) ||
      !decoder.source(1, type, out.a) || (!isNot && !decoder.source(2, type, out.b)))
    return false;
  if (type.kind == Type::Predicate && mnemonic != "not" && mnemonic != "xor")
    out.flow = mnemonic == "and" ? Instruction::FromBothTrue : Instruction::FromBothFalse;
  if (type.kind == Type::Predicate)
    return decoder.finish(isNot               ? predicateNot
                          : mnemonic == "and" ? predicateLogic<And>
                          : mnemonic == "or"  ? predicateLogic<Or>
                                              : predicateLogic<ExclusiveOr>);
  return decoder.finish(isNot               ? pickInteger<PickNot>(type)
                        : mnemonic == "and" ? pickInteger<Logic<And>::Pick>(type)
                        : mnemonic == "or"  ? pickInteger<Logic<Or>::Pick>(type)
                                            : pickInteger<Logic<ExclusiveOr>::Pick>(type));
}

bool heddle::ptx::decodeShift(Decoder &decoder) {
  Instruction &out = decoder.out;
  Type type;
  if (!takeBits(decoder, type) || !decoder.expectOperands(3) || !decoder.destination(0, type, out.d) ||
      !decoder.source(1, type, out.a) || !decoder.source(2, number32, out.b))
    return false;
  return decoder.finish(decoder.statement.opcode.starts_with("shl") ? pickInteger<Shift<Left>::Pick>(type)
                                                                    : pickInteger<Shift<Right>::Pick>(type));
}

bool heddle::ptx::decodeFunnelShift(Decoder &decoder) {
  Instruction &out = decoder.out;
  Type type;
  bool left = decoder.take("l");
  if (!left && !decoder.take("r"))
    return decoder.fail("expected .l or .r");
  bool clamp = decoder.take("clamp");
  if (!clamp && !decoder.take("wrap"))
    return decoder.fail("expected .clamp or .wrap");
  if (!takeBits(decoder, type) || !decoder.expectOperands(4) || !decoder.destination(0, number32, out.d) ||
      !decoder.source(1, number32, out.a) || !decoder.source(2, number32, out.b) || !decoder.source(3, number32, out.c))
    return false;
  if (!type.is(Type::Bits, 4))
    return decoder.finish(Execute(nullptr));
  if (left)
    return decoder.finish(clamp ? funnelShift<true, true> : funnelShift<true, false>);
  return decoder.finish(clamp ? funnelShift<false, true> : funnelShift<false, false>);
}

bool heddle::ptx::decodeCount(Decoder &decoder) {
  Instruction &out = decoder.out;
  Type type;
  bool reverse = decoder.statement.opcode.starts_with("brev"), ones = decoder.statement.opcode.starts_with("popc");
  if (!takeBits(decoder, type) || !decoder.expectOperands(2) ||
      !decoder.destination(0, reverse ? type : number32, out.d) || !decoder.source(1, type, out.a))
    return false;
  if (type.is(Type::Bits, 4))
    return decoder.finish(reverse ? unary<uint32_t, uint32_t, Reverse>
                          : ones  ? unary<uint32_t, uint32_t, CountOnes>
                                  : unary<uint32_t, uint32_t, CountLeadingZeros>);
  if (type.is(Type::Bits, 8))
    return decoder.finish(reverse ? unary<uint64_t, uint64_t, Reverse>
                          : ones  ? unary<uint32_t, uint64_t, CountOnes>
                                  : unary<uint32_t, uint64_t, CountLeadingZeros>);
  return decoder.finish(Execute(nullptr));
}

bool heddle::ptx::decodeField(Decoder &decoder) {
  Instruction &out = decoder.out;
  Type type;
  bool isInsert = decoder.statement.opcode.starts_with("bfi");
  if (!takeBits(decoder, type) || !decoder.expectOperands(isInsert ? 5 : 4) || !decoder.destination(0, type, out.d) ||
      !decoder.source(1, type, out.a))
    return false;
  if (isInsert) {
    if (!decoder.source(2, type, out.b) || !decoder.source(3, number32, out.c) || !decoder.source(4, number32, out.e))
      return false;
    return decoder.finish(type.is(Type::Bits, 4)   ? insert<uint32_t>
                          : type.is(Type::Bits, 8) ? insert<uint64_t>
                                                   : Execute(nullptr));
  }
  if (!decoder.source(2, number32, out.b) || !decoder.source(3, number32, out.c))
    return false;
  return decoder.finish(type.is(Type::Signed, 4)     ? extract<int32_t>
                        : type.is(Type::Unsigned, 4) ? extract<uint32_t>
                        : type.is(Type::Signed, 8)   ? extract<int64_t>
                        : type.is(Type::Unsigned, 8) ? extract<uint64_t>
                                                     : Execute(nullptr));
}

bool heddle::ptx::decodePermute(Decoder &decoder) {
  Instruction &out = decoder.out;
  Type type;
  return takeBits(decoder, type) && decoder.expectOperands(4) && decoder.destination(0, number32, out.d) &&
         decoder.source(1, number32, out.a) && decoder.source(2, number32, out.b) &&
         decoder.source(3, number32, out.c) && decoder.finish(type.is(Type::Bits, 4) ? permute : nullptr);
}

bool heddle::ptx::decodeLookUp(Decoder &decoder) {
  Instruction &out = decoder.out;
  Type type;
  return takeBits(decoder, type) && decoder.expectOperands(5) && decoder.destination(0, number32, out.d) &&
         decoder.source(1, number32, out.a) && decoder.source(2, number32, out.b) &&
         decoder.source(3, number32, out.c) && decoder.immediate(4, out.offset, 0, 255) &&
         decoder.finish(type.is(Type::Bits, 4) ? lookUp : nullptr);
}
