// Compares conversions between types (cvt) in the interpreter of PTX with conversions on the host.

#include "Kernels.h"

#include "ptx/Rounding.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

using namespace heddle::ptx;

namespace {

/// The number of values that `floats` and `integers` return.
constexpr unsigned count = 1024;

/// Checks that `instruction`, a cvt without operands, converts `values` from T to R as `expect` does on the host.
template <typename R, typename T, typename Expect>
void check(const std::string &instruction, const std::vector<T> &values, Expect expect) {
  const char *from = sizeof(T) == 2 ? "%h" : sizeof(T) == 4 ? "%r" : "%rd";
  const char *to = sizeof(R) == 2 ? "%h" : sizeof(R) == 4 ? "%r" : "%rd";
  std::string body = "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 32, %r0; mul.wide.u32 %rd40, %r1, " +
                     std::to_string(sizeof(T)) + "; add.u64 %rd40, %rd40, %rd0; mul.wide.u32 %rd41, %r1, " +
                     std::to_string(sizeof(R)) + "; add.u64 %rd41, %rd41, %rd1; ld.global.b" +
                     std::to_string(8 * sizeof(T)) + " " + from + "10, [%rd40];\n" + instruction + " " + to + "13, " +
                     from + "10;\nst.global.b" + std::to_string(8 * sizeof(R)) + " [%rd41], " + to + "13;";
  Buffer in(values), out(values.size() * sizeof(R));
  ASSERT_EQ(execute(kernel(2, body), {&in, &out}, {{unsigned(values.size() / 32), 1, 1}}), "") << instruction;
  std::vector<R> results = out.values<R>();
  for (size_t i = 0; i < values.size(); ++i) {
    R expected = expect(values[i]);
    bool same =
        std::memcmp(&results[i], &expected, sizeof(R)) == 0 || (results[i] != results[i] && expected != expected);
    ASSERT_TRUE(same) << instruction << " of " << +values[i] << ": " << +results[i] << ", not " << +expected;
  }
}

/// Returns values near rounding boundaries and limits of types, followed by usual numbers and by random bits.
std::vector<float> floats() {
  std::mt19937 random(5);
  std::vector<float> values = {
      0,         -0.0f,      0.5f,      1.5f,          2.5f,          -0.5f,          -1.5f,
      0x1p-149f, -0x1p-149f, 0x1p-24f,  0x1p-25f,      0x1.004p0f,    65504,          65519.9f,
      65520,     -65520,     3e38f,     2147483647.0f, 2147483648.0f, -2147483648.0f, 4294967296.0f,
      1e20f,     INFINITY,   -INFINITY, NAN,           0x1.008p0f,    0x1.018p0f};
  while (values.size() < count / 2)
    values.push_back(std::uniform_real_distribution<float>(-300, 300)(random));
  while (values.size() < count) {
    uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, 4);
    values.push_back(value);
  }
  return values;
}

/// Returns special values, such as the limits of T and numbers that f32 cannot represent, followed by random numbers of
/// different magnitudes.
template <typename T> std::vector<T> integers() {
  std::mt19937_64 random(6);
  std::vector<T> values = {
      0, 1, T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T(1 << 14), T(16777217), T(33554435)};
  while (values.size() < count)
    values.push_back(T(random() >> random() % 48));
  return values;
}

/// Calls `convert` on the host with the rounding mode `mode` (fesetround), and returns its result.
template <typename F> auto rounded(int mode, F convert) {
  int before = std::fegetround();
  std::fesetround(mode);
  auto result = convert();
  std::fesetround(before);
  return result;
}

/// Converts a whole number to T; numbers up to `low` and from `high` on become the limits of T.
template <typename T> T clamp(double whole, double low, double high) {
  return whole <= low ? std::numeric_limits<T>::min() : whole >= high ? std::numeric_limits<T>::max() : T(whole);
}

} // namespace

TEST(PtxConversions, FloatsToIntegersSaturate) {
  auto toS32 = [](double whole) { return std::isnan(whole) ? 0 : clamp<int32_t>(whole, -0x1p31, 0x1p31); };
  check<int32_t>("cvt.rzi.s32.f32", floats(), [&](float a) { return toS32(std::trunc(double(a))); });
  check<int32_t>("cvt.rni.s32.f32", floats(), [&](float a) { return toS32(std::nearbyint(double(a))); });
  check<int32_t>("cvt.rmi.s32.f32", floats(), [&](float a) { return toS32(std::floor(double(a))); });
  check<int32_t>("cvt.rpi.s32.f32", floats(), [&](float a) { return toS32(std::ceil(double(a))); });
  check<uint32_t>("cvt.rzi.u32.f32", floats(),
                  [&](float a) { return std::isnan(a) ? 0u : clamp<uint32_t>(std::trunc(double(a)), 0, 0x1p32); });
  check<int64_t>("cvt.rzi.s64.f32", floats(), [&](float a) {
    return std::isnan(a) ? INT64_MIN : clamp<int64_t>(std::trunc(double(a)), -0x1p63, 0x1p63);
  });
}

TEST(PtxConversions, IntegersToFloatsRound) {
  check<float>("cvt.rn.f32.s32", integers<int32_t>(), [](int32_t a) { return float(a); });
  check<float>("cvt.rn.f32.u32", integers<uint32_t>(), [](uint32_t a) { return float(a); });
  check<float>("cvt.rn.f32.s64", integers<int64_t>(), [](int64_t a) { return float(a); });
  check<float>("cvt.rn.f32.u64", integers<uint64_t>(), [](uint64_t a) { return float(a); });
  check<double>("cvt.rn.f64.s64", integers<int64_t>(), [](int64_t a) { return double(a); });
  check<float>("cvt.rz.f32.s64", integers<int64_t>(), [](int64_t a) {
    volatile int64_t x = a;
    return rounded(FE_TOWARDZERO, [&] { return float(x); });
  });
  check<float>("cvt.rp.f32.u32", integers<uint32_t>(), [](uint32_t a) {
    double exact = a;
    float near = float(exact);
    return double(near) < exact ? std::nextafter(near, float(INFINITY)) : near;
  });
}

TEST(PtxConversions, FloatsToNarrowerFloatsRound) {
  check<uint16_t>("cvt.rn.f16.f32", floats(), [](float a) {
    _Float16 half = _Float16(a);
    uint16_t bits;
    std::memcpy(&bits, &half, 2);
    return std::isnan(a) ? uint16_t(0x7fff) : bits;
  });
  check<uint16_t>("cvt.rn.bf16.f32", floats(), [](float a) {
    uint32_t bits;
    std::memcpy(&bits, &a, 4);
    return std::isnan(a) ? uint16_t(0x7fff) : uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  });
  check<uint16_t>("cvt.rz.bf16.f32", floats(), [](float a) {
    uint32_t bits;
    std::memcpy(&bits, &a, 4);
    return std::isnan(a) ? uint16_t(0x7fff) : uint16_t(bits >> 16);
  });
  std::vector<double> wide;
  for (float value : floats())
    wide.push_back(double(value) * (1 + 0x1p-24) + 0x1p-60);
  check<float>("cvt.rn.f32.f64", wide, [](double a) { return float(a); });
  check<float>("cvt.rm.f32.f64", wide, [](double a) {
    float near = float(a);
    return double(near) > a ? std::nextafter(near, float(-INFINITY)) : near;
  });
}

TEST(PtxConversions, FloatsToWiderFloatsAreExact) {
  std::vector<uint16_t> all;
  for (unsigned bits = 0; bits < 65536; ++bits)
    all.push_back(uint16_t(bits));
  check<float>("cvt.f32.f16", all, [](uint16_t bits) {
    _Float16 half;
    std::memcpy(&half, &bits, 2);
    return float(half);
  });
  check<float>("cvt.f32.bf16", all, [](uint16_t bits) { return fromBFloat(bits); });
  check<double>("cvt.f64.f32", floats(), [](float a) { return double(a); });
  // Converting an f16 to f32 and back must yield the same bits, except that every NaN becomes 0x7fff. The comment sign
  // hides the operands that `check` appends.
  check<uint16_t>("cvt.f32.f16 %f1, %h10; cvt.rn.f16.f32 %h13, %f1; //", all,
                  [](uint16_t bits) { return (bits & 0x7fff) > 0x7c00 ? uint16_t(0x7fff) : bits; });
}

TEST(PtxConversions, FloatsToIntegralFloats) {
  check<float>("cvt.rni.f32.f32", floats(), [](float a) { return std::nearbyint(a); });
  check<float>("cvt.rmi.f32.f32", floats(), [](float a) { return std::floor(a); });
  check<float>("cvt.rzi.f32.f32", floats(), [](float a) { return std::trunc(a); });
  check<float>("cvt.sat.f32.f32", floats(), [](float a) { return a > 0 ? std::fmin(a, 1.0f) : 0.0f; });
  check<float>("cvt.ftz.f32.f32", floats(),
               [](float a) { return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a; });
}

TEST(PtxConversions, IntegersAreExtendedAndTruncated) {
  check<uint64_t>("cvt.u64.u32", integers<uint32_t>(), [](uint32_t a) { return uint64_t(a); });
  check<int64_t>("cvt.s64.s32", integers<int32_t>(), [](int32_t a) { return int64_t(a); });
  check<uint32_t>("cvt.u32.u64", integers<uint64_t>(), [](uint64_t a) { return uint32_t(a); });
  check<int32_t>("cvt.s32.s8", integers<int32_t>(), [](int32_t a) { return int32_t(int8_t(a)); });
  check<uint32_t>("cvt.u32.u8", integers<uint32_t>(), [](uint32_t a) { return a & 255; });
  check<int32_t>("cvt.s32.s16", integers<int16_t>(), [](int16_t a) { return int32_t(a); });
  check<int32_t>("cvt.sat.s8.s32", integers<int32_t>(), [](int32_t a) { return std::min(std::max(a, -128), 127); });
  check<uint32_t>("cvt.sat.u16.s32", integers<int32_t>(),
                  [](int32_t a) { return uint32_t(std::min(std::max(a, 0), 65535)); });
}

TEST(PtxConversions, TwoFloatsToAPair) {
  std::vector<float> values = floats();
  Buffer in(values), out(count * 4);
  std::string body = "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 32, %r0; mul.wide.u32 %rd40, %r1, 4; "
                     "add.u64 %rd41, %rd40, %rd0; add.u64 %rd42, %rd40, %rd1; ld.global.f32 %f1, [%rd41]; "
                     "cvt.rn.bf16x2.f32 %r3, %f1, 0f3F800000; st.global.b32 [%rd42], %r3;";
  ASSERT_EQ(execute(kernel(2, body), {&in, &out}, {{count / 32, 1, 1}}), "");
  for (unsigned i = 0; i < count; ++i)
    ASSERT_EQ(out.values<uint32_t>()[i], uint32_t(toBFloat(values[i])) << 16 | 0x3f80);
}
