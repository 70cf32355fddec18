// Compares instructions in the interpreter of PTX with the host's arithmetic, on random and on special values.

#include "Kernels.h"

#include "ptx/Rounding.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle::ptx;

namespace {

/// Returns the prefix of the names of registers for T.
template <typename T> const char *registerOf() {
  return std::is_same_v<T, float>    ? "%f"
         : std::is_same_v<T, double> ? "%fd"
         : sizeof(T) == 2            ? "%h"
         : sizeof(T) == 4            ? "%r"
                                     : "%rd";
}

/// Returns special values and random bits, for a floating-point type also usual numbers, in random order.
template <typename T> std::vector<T> hardValues(unsigned seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  if constexpr (std::is_floating_point_v<T>) {
    T tiny = std::numeric_limits<T>::denorm_min(), minimum = std::numeric_limits<T>::min();
    values = {0,
              T(-0.0),
              1,
              -1,
              T(0.5),
              T(1.5),
              T(2.5),
              T(-2.5),
              tiny,
              -tiny,
              minimum,
              -minimum,
              minimum / 2,
              std::numeric_limits<T>::max(),
              -std::numeric_limits<T>::max(),
              T(INFINITY),
              T(-INFINITY),
              T(NAN)};
    std::uniform_real_distribution<T> usual(-4, 4);
    while (values.size() < count / 2)
      values.push_back(usual(random));
  } else {
    values = {0, 1, T(-1), 2, 31, 32, 33, 63, 64, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  }
  while (values.size() < count) {
    uint64_t bits = random();
    T value;
    std::memcpy(&value, &bits, sizeof value);
    values.push_back(value);
  }
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

/// Returns whether two values have equal bits or are both NaN.
template <typename T> bool same(T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

constexpr unsigned numElements = 2048;

/// Runs `instruction` with one thread for each element, and compares the results with expect(a, b, c). Registers 10, 11
/// and 12 contain a, b and c; the instruction must write its result to register 13.
template <typename R, typename A, typename B, typename C, typename Expect>
void check(const std::string &instruction, Expect expect) {
  std::vector<A> a = hardValues<A>(1, numElements);
  std::vector<B> b = hardValues<B>(2, numElements);
  std::vector<C> c = hardValues<C>(3, numElements);
  auto loadOf = [](const char *reg, unsigned number, size_t bytes, unsigned parameter) {
    std::string address = "%rd" + std::to_string(40 + parameter), n = std::to_string(parameter),
                size = std::to_string(bytes);
    return "\nmul.wide.u32 " + address + ", %r1, " + size + "; add.u64 " + address + ", " + address + ", %rd" + n +
           "; ld.global.b" + std::to_string(8 * bytes) + " " + reg + std::to_string(number) + ", [" + address + "];";
  };
  std::string body = "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 32, %r0;" +
                     loadOf(registerOf<A>(), 10, sizeof(A), 0) + loadOf(registerOf<B>(), 11, sizeof(B), 1) +
                     loadOf(registerOf<C>(), 12, sizeof(C), 2) + "\n" + instruction + "\nmul.wide.u32 %rd44, %r1, " +
                     std::to_string(sizeof(R)) + "; add.u64 %rd44, %rd44, %rd3; st.global.b" +
                     std::to_string(8 * sizeof(R)) + " [%rd44], " + registerOf<R>() + "13;";
  Buffer first(a), second(b), third(c), out(numElements * sizeof(R));
  ASSERT_EQ(execute(kernel(4, body), {&first, &second, &third, &out}, {{numElements / 32, 1, 1}}), "") << instruction;
  std::vector<R> results = out.values<R>();
  for (unsigned i = 0; i < numElements; ++i) {
    R expected = expect(a[i], b[i], c[i]);
    ASSERT_TRUE(same(results[i], expected)) << instruction << " of " << +a[i] << ", " << +b[i] << ", " << +c[i] << ": "
                                            << +results[i] << ", not " << +expected;
  }
}

/// Like `check`, for an instruction whose operands and result all have the type T.
template <typename T, typename Expect> void checkAll(const std::string &instruction, Expect expect) {
  check<T, T, T, T>(instruction, expect);
}

using U16 = uint16_t;
using U32 = uint32_t;
using U64 = uint64_t;
using S16 = int16_t;
using S32 = int32_t;
using S64 = int64_t;

/// Returns x, or a zero of its sign if x is denormal.
float quiet(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

} // namespace

TEST(PtxInstructions, FloatsRoundAsInIeee754) {
  checkAll<float>("add.rn.f32 %f13, %f10, %f11;", [](float a, float b, float) { return a + b; });
  checkAll<float>("sub.f32 %f13, %f10, %f11;", [](float a, float b, float) { return a - b; });
  checkAll<float>("mul.rn.f32 %f13, %f10, %f11;", [](float a, float b, float) { return a * b; });
  checkAll<float>("fma.rn.f32 %f13, %f10, %f11, %f12;", [](float a, float b, float c) { return std::fma(a, b, c); });
  checkAll<float>("div.rn.f32 %f13, %f10, %f11;", [](float a, float b, float) { return a / b; });
  checkAll<float>("rcp.rn.f32 %f13, %f10;", [](float a, float, float) { return 1 / a; });
  checkAll<float>("sqrt.rn.f32 %f13, %f10;", [](float a, float, float) { return std::sqrt(a); });
  checkAll<float>("neg.f32 %f13, %f10;", [](float a, float, float) { return -a; });
  checkAll<float>("abs.f32 %f13, %f10;", [](float a, float, float) { return std::fabs(a); });
  checkAll<float>("copysign.f32 %f13, %f10, %f11;", [](float a, float b, float) { return std::copysign(b, a); });
  checkAll<double>("add.rn.f64 %fd13, %fd10, %fd11;", [](double a, double b, double) { return a + b; });
  checkAll<double>("fma.rn.f64 %fd13, %fd10, %fd11, %fd12;",
                   [](double a, double b, double c) { return std::fma(a, b, c); });
  checkAll<double>("div.rn.f64 %fd13, %fd10, %fd11;", [](double a, double b, double) { return a / b; });
}

TEST(PtxInstructions, DenormalsAreFlushedOnlyWithFtz) {
  checkAll<float>("add.rn.ftz.f32 %f13, %f10, %f11;",
                  [](float a, float b, float) { return quiet(quiet(a) + quiet(b)); });
  checkAll<float>("mul.ftz.f32 %f13, %f10, %f11;", [](float a, float b, float) { return quiet(quiet(a) * quiet(b)); });
  checkAll<float>("fma.rn.ftz.f32 %f13, %f10, %f11, %f12;",
                  [](float a, float b, float c) { return quiet(std::fma(quiet(a), quiet(b), quiet(c))); });
}

TEST(PtxInstructions, MinimumAndMaximumOfNanAndZeros) {
  auto less = [](float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); };
  checkAll<float>("min.f32 %f13, %f10, %f11;", [&](float a, float b, float) {
    return a != a ? b : b != b || less(a, b) ? a : b;
  });
  checkAll<float>("max.f32 %f13, %f10, %f11;", [&](float a, float b, float) {
    return a != a ? b : b != b || less(b, a) ? a : b;
  });
  checkAll<float>("max.NaN.f32 %f13, %f10, %f11;", [&](float a, float b, float) {
    return a != a || b != b ? float(NAN) : less(b, a) ? a : b;
  });
}

TEST(PtxInstructions, ApproximationsAreNear) {
  auto near = [](float a) { return float(std::exp2(double(a))); };
  checkAll<float>("ex2.approx.f32 %f13, %f10;", [&](float a, float, float) { return near(a); });
  checkAll<float>("rsqrt.approx.f32 %f13, %f10;",
                  [](float a, float, float) { return float(1 / std::sqrt(double(a))); });
  checkAll<float>("lg2.approx.f32 %f13, %f10;", [](float a, float, float) { return float(std::log2(double(a))); });
}

TEST(PtxInstructions, IntegersWrap) {
  checkAll<U32>("add.s32 %r13, %r10, %r11;", [](U32 a, U32 b, U32) { return a + b; });
  checkAll<U64>("sub.s64 %rd13, %rd10, %rd11;", [](U64 a, U64 b, U64) { return a - b; });
  checkAll<U16>("add.u16 %h13, %h10, %h11;", [](U16 a, U16 b, U16) { return U16(a + b); });
  checkAll<U32>("mul.lo.s32 %r13, %r10, %r11;", [](U32 a, U32 b, U32) { return a * b; });
  checkAll<U32>("mul.hi.u32 %r13, %r10, %r11;", [](U32 a, U32 b, U32) { return U32(U64(a) * b >> 32); });
  checkAll<S32>("mul.hi.s32 %r13, %r10, %r11;", [](S32 a, S32 b, S32) { return S32(S64(a) * b >> 32); });
  checkAll<U64>("mul.hi.u64 %rd13, %rd10, %rd11;",
                [](U64 a, U64 b, U64) { return U64((unsigned __int128)(a)*b >> 64); });
  checkAll<U16>("mul.lo.u16 %h13, %h10, %h11;", [](U16 a, U16 b, U16) { return U16(U32(a) * b); });
  check<U64, U32, U32, U32>("mul.wide.u32 %rd13, %r10, %r11;", [](U32 a, U32 b, U32) { return U64(a) * b; });
  check<S64, S32, S32, S32>("mul.wide.s32 %rd13, %r10, %r11;", [](S32 a, S32 b, S32) { return S64(a) * b; });
  check<U32, U16, U16, U16>("mul.wide.u16 %r13, %h10, %h11;", [](U16 a, U16 b, U16) { return U32(a) * b; });
  checkAll<U32>("mad.lo.s32 %r13, %r10, %r11, %r12;", [](U32 a, U32 b, U32 c) { return a * b + c; });
  check<S64, S32, S32, S64>("mad.wide.s32 %rd13, %r10, %r11, %rd12;",
                            [](S32 a, S32 b, S64 c) { return S64(U64(S64(a) * b) + U64(c)); });
  checkAll<U32>("mad.hi.u32 %r13, %r10, %r11, %r12;", [](U32 a, U32 b, U32 c) { return U32(U64(a) * b >> 32) + c; });
  checkAll<S32>("min.s32 %r13, %r10, %r11;", [](S32 a, S32 b, S32) { return std::min(a, b); });
  checkAll<U64>("max.u64 %rd13, %rd10, %rd11;", [](U64 a, U64 b, U64) { return std::max(a, b); });
  checkAll<U32>("neg.s32 %r13, %r10;", [](U32 a, U32, U32) { return 0 - a; });
  checkAll<S32>("abs.s32 %r13, %r10;", [](S32 a, S32, S32) { return a < 0 ? S32(0 - U32(a)) : a; });
  checkAll<U32>("div.u32 %r13, %r10, %r11;", [](U32 a, U32 b, U32) { return b ? a / b : ~0u; });
  checkAll<S32>("div.s32 %r13, %r10, %r11;", [](S32 a, S32 b, S32) { return b ? S32(S64(a) / b) : -1; });
  checkAll<S32>("rem.s32 %r13, %r10, %r11;", [](S32 a, S32 b, S32) { return b ? S32(S64(a) % b) : a; });
}

TEST(PtxInstructions, Bits) {
  checkAll<U32>("and.b32 %r13, %r10, %r11;", [](U32 a, U32 b, U32) { return a & b; });
  checkAll<U64>("or.b64 %rd13, %rd10, %rd11;", [](U64 a, U64 b, U64) { return a | b; });
  checkAll<U16>("xor.b16 %h13, %h10, %h11;", [](U16 a, U16 b, U16) { return U16(a ^ b); });
  checkAll<U32>("not.b32 %r13, %r10;", [](U32 a, U32, U32) { return ~a; });
  checkAll<U32>("shl.b32 %r13, %r10, %r11;", [](U32 a, U32 b, U32) { return b < 32 ? a << b : 0; });
  checkAll<U32>("shr.u32 %r13, %r10, %r11;", [](U32 a, U32 b, U32) { return b < 32 ? a >> b : 0; });
  check<S64, S64, U32, U32>("shr.s64 %rd13, %rd10, %r11;",
                            [](S64 a, U32 b, U32) { return b < 64 ? a >> b : S64(a < 0 ? -1 : 0); });
  checkAll<U32>("shf.l.wrap.b32 %r13, %r10, %r11, %r12;",
                [](U32 a, U32 b, U32 c) { return U32((U64(b) << 32 | a) << (c & 31) >> 32); });
  checkAll<U32>("shf.r.clamp.b32 %r13, %r10, %r11, %r12;",
                [](U32 a, U32 b, U32 c) { return U32((U64(b) << 32 | a) >> std::min(c, 32u)); });
  checkAll<U32>("popc.b32 %r13, %r10;", [](U32 a, U32, U32) { return U32(__builtin_popcount(a)); });
  checkAll<U32>("clz.b32 %r13, %r10;", [](U32 a, U32, U32) { return a ? U32(__builtin_clz(a)) : 32; });
  checkAll<U32>("brev.b32 %r13, %r10;", [](U32 a, U32, U32) { return __builtin_bitreverse32(a); });
  checkAll<U32>("lop3.b32 %r13, %r10, %r11, %r12, 0x96;", [](U32 a, U32 b, U32 c) { return a ^ b ^ c; });
  checkAll<U32>("lop3.b32 %r13, %r10, %r11, %r12, 0xca;", [](U32 a, U32 b, U32 c) { return (a & b) | (~a & c); });
  // Computes bfe one bit at a time, as the documentation of PTX defines it: extracts c bits of a, starting at bit b.
  auto extract = [](auto a, U32 b, U32 c, bool isSigned, int last) {
    U64 result = 0;
    int place = b & 255, length = c & 255;
    bool sign = isSigned && length && (U64(a) >> std::min(place + length - 1, last) & 1);
    for (int i = 0; i <= last; ++i)
      result |= U64(i < length && place + i <= last ? U64(a) >> (place + i) & 1 : sign) << i;
    return result;
  };
  checkAll<U32>("bfe.u32 %r13, %r10, %r11, %r12;",
                [&](U32 a, U32 b, U32 c) { return U32(extract(a, b, c, false, 31)); });
  checkAll<S32>("bfe.s32 %r13, %r10, %r11, %r12;",
                [&](S32 a, U32 b, U32 c) { return S32(extract(U32(a), b, c, true, 31)); });
  check<S64, S64, U32, U32>("bfe.s64 %rd13, %rd10, %r11, %r12;",
                            [&](S64 a, U32 b, U32 c) { return S64(extract(a, b, c, true, 63)); });
  checkAll<U32>("bfi.b32 %r13, %r10, %r11, %r12, 5;", [](U32 a, U32 b, U32 c) {
    for (unsigned i = 0; i < 5 && (c & 255) + i < 32; ++i)
      b = (b & ~(1u << ((c & 255) + i))) | (a >> i & 1) << ((c & 255) + i);
    return b;
  });
  checkAll<U32>("prmt.b32 %r13, %r10, %r11, 0x6420;", [](U32 a, U32 b, U32) {
    return (a & 255) | (a >> 16 & 255) << 8 | (b & 255) << 16 | (b >> 16 & 255) << 24;
  });
  checkAll<U32>("prmt.b32 %r13, %r10, %r11, 0x00fb;", [](U32 a, U32 b, U32) {
    U32 low = a >> 31 ? 255 : 0, next = b >> 31 ? 255 : 0;
    return low | next << 8 | (a & 255) << 16 | (a & 255) << 24;
  });
}

TEST(PtxInstructions, ComparisonsAndChoices) {
  auto choose = [](const std::string &comparison, const std::string &reg) {
    return "setp." + comparison + " %p1, " + reg + "10, " + reg + "11; selp.b32 %r13, 1, 0, %p1;";
  };
  auto checkFloat = [&](const std::string &name, auto expect) {
    check<U32, float, float, float>(choose(name + ".f32", "%f"),
                                    [&](float a, float b, float) { return U32(expect(a, b)); });
    check<U32, double, double, double>(choose(name + ".f64", "%fd"),
                                       [&](double a, double b, double) { return U32(expect(a, b)); });
  };
  checkFloat("eq", [](auto a, auto b) { return a == b; });
  checkFloat("ne", [](auto a, auto b) { return a < b || a > b; });
  checkFloat("lt", [](auto a, auto b) { return a < b; });
  checkFloat("ge", [](auto a, auto b) { return a >= b; });
  checkFloat("equ", [](auto a, auto b) { return !(a < b) && !(a > b); });
  checkFloat("neu", [](auto a, auto b) { return !(a == b); });
  checkFloat("ltu", [](auto a, auto b) { return !(a >= b); });
  checkFloat("leu", [](auto a, auto b) { return !(a > b); });
  checkFloat("gtu", [](auto a, auto b) { return !(a <= b); });
  checkFloat("geu", [](auto a, auto b) { return !(a < b); });
  checkFloat("num", [](auto a, auto b) { return a == a && b == b; });
  checkFloat("nan", [](auto a, auto b) { return a != a || b != b; });
  check<U32, S32, S32, S32>(choose("lt.s32", "%r"), [](S32 a, S32 b, S32) { return U32(a < b); });
  check<U32, U16, U16, U16>(choose("gtu.f16", "%h"),
                            [](U16 a, U16 b, U16) { return U32(!(fromHalf(a) <= fromHalf(b))); });
  check<U32, U16, U16, U16>(choose("lt.bf16", "%h"),
                            [](U16 a, U16 b, U16) { return U32(fromBFloat(a) < fromBFloat(b)); });
  check<U32, U32, U32, U32>(choose("gt.u32", "%r"), [](U32 a, U32 b, U32) { return U32(a > b); });
  check<U32, U64, U64, U64>(choose("ls.u64", "%rd"), [](U64 a, U64 b, U64) { return U32(a <= b); });
  check<U32, S16, S16, S16>(choose("ge.s16", "%h"), [](S16 a, S16 b, S16) { return U32(a >= b); });
  check<U32, S32, S32, S32>("setp.lt.s32 %p1|%p2, %r10, %r11; setp.eq.or.s32 %p3, %r10, %r12, !%p1; "
                            "xor.pred %p4, %p2, %p3; selp.b32 %r13, 1, 0, %p4;",
                            [](S32 a, S32 b, S32 c) { return U32((a >= b) != (a == c || a >= b)); });
  check<U32, float, float, float>("testp.subnormal.f32 %p1, %f10; selp.b32 %r13, 1, 0, %p1;",
                                  [](float a, float, float) { return U32(std::fpclassify(a) == FP_SUBNORMAL); });
}

TEST(PtxInstructions, MovesSplitAndJoinRegisters) {
  checkAll<U32>("mov.b32 {%h1, %h2}, %r10; mov.b32 %r13, {%h2, %h1};",
                [](U32 a, U32, U32) { return a << 16 | a >> 16; });
  checkAll<U64>("mov.b64 {%r20, %r21}, %rd10; mov.b64 %rd13, {%r21, %r20};",
                [](U64 a, U64, U64) { return a << 32 | a >> 32; });
  checkAll<U64>("mov.b64 {%h1, %h2, %h3, %h4}, %rd10; mov.b64 %rd13, {%h2, %h1, %h4, %h3};",
                [](U64 a, U64, U64) { return (a & 0x0000ffff0000ffff) << 16 | (a >> 16 & 0x0000ffff0000ffff); });
  checkAll<float>("mov.f32 %f13, 0f40490FDB;", [](float, float, float) { return float(M_PI); });
  checkAll<U32>("mov.pred %p1, 0; setp.lt.u32 %p2, %r10, %r11; @%p2 mov.pred %p1, -1; selp.b32 %r13, 1, 0, %p1;",
                [](U32 a, U32 b, U32) { return U32(a < b); });
}

TEST(PtxInstructions, HalfFloatsRoundOnce) {
  auto half = [](long double value) { return toHalf(double(value)); };
  checkAll<U16>("add.rn.f16 %h13, %h10, %h11;",
                [&](U16 a, U16 b, U16) { return half(double(fromHalf(a)) + double(fromHalf(b))); });
  checkAll<U16>("mul.rn.f16 %h13, %h10, %h11;",
                [&](U16 a, U16 b, U16) { return half(double(fromHalf(a)) * double(fromHalf(b))); });
  // The sum of an f16 near 2^15 and a product near 2^-48 does not fit in f64; it fits in x86's 80-bit format.
  checkAll<U16>("fma.rn.f16 %h13, %h10, %h11, %h12;", [&](U16 a, U16 b, U16 c) {
    long double sum = (long double)(fromHalf(a)) * fromHalf(b) + fromHalf(c);
    double near = double(sum);
    // Rounds the sum to odd in f64 (sets the last bit if the sum is inexact), so that rounding again to f16 is right.
    if ((long double)(near) != sum && std::isfinite(near)) {
      U64 bits;
      std::memcpy(&bits, &near, 8);
      if (!(bits & 1))
        near = std::nextafter(near, (long double)(near) < sum ? INFINITY : -INFINITY);
    }
    return toHalf(near);
  });
  // 1.5 * (1 + 2^-7) lies halfway between two bf16 numbers. Adding the smallest number, of either sign, decides the
  // rounding.
  checkAll<U16>("mov.b16 %h20, 0x3fc0; fma.rn.bf16 %h13, %h20, 0x3f81, 0x8001;",
                [](U16, U16, U16) { return U16(0x3fc1); });
  checkAll<U16>("mov.b16 %h20, 0x3fc0; fma.rn.bf16 %h13, %h20, 0x3f81, 0x0001;",
                [](U16, U16, U16) { return U16(0x3fc2); });
  checkAll<U32>("add.rn.bf16x2 %r13, %r10, %r11;", [](U32 a, U32 b, U32) {
    auto sum = [](U16 x, U16 y) { return toBFloat(addToOdd(fromBFloat(x), fromBFloat(y))); };
    return U32(sum(U16(a), U16(b))) | U32(sum(U16(a >> 16), U16(b >> 16))) << 16;
  });
  checkAll<U32>("neg.f16x2 %r13, %r10;", [](U32 a, U32, U32) { return a ^ 0x80008000; });
  checkAll<U16>("max.f16 %h13, %h10, %h11;", [](U16 a, U16 b, U16) {
    float x = fromHalf(a), y = fromHalf(b);
    if (x != x && y != y)
      return U16(0x7fff);
    if (x != x || y != y)
      return x != x ? b : a;
    return x > y || (x == y && !(a >> 15)) ? a : b;
  });
}
