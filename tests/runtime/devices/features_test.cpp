//===- features_test.cpp - optional features of devices -------------------===//
//
// If a device reports a feature, such as 64-bit integers, kernels that use the
// feature must compute correct results. On other devices, the test is skipped.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <cmath>
#include <cstring>
#include <limits>

class Features : public DeviceTest {
protected:
  // Loads a program that needs `features`. If the device lacks one of them, returns NULL and names it in `reason`.
  heddle_code *loadIfThere(const std::string &file, const heddle_kernel &kernel, uint64_t features,
                           std::string &reason) {
    for (unsigned bit = 0; heddle_feature_name(bit); ++bit)
      if ((features & ~device->features) >> bit & 1)
        reason = GetParam().name + " lacks: " + heddle_feature_name(bit);
    if (!reason.empty())
      return nullptr;
    return load(Program(device->format, file, {kernel}, features));
  }
  // Allocates memory and uploads the values.
  template <typename T> heddle_memory *memoryOfValues(const std::vector<T> &values) {
    std::vector<uint32_t> words((values.size() * sizeof(T) + 3) / 4);
    memcpy(words.data(), values.data(), values.size() * sizeof(T));
    return memoryOf(words);
  }
  // Downloads the first values of a memory.
  template <typename T> std::vector<T> valuesOf(heddle_memory *memory, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(device->download(device->self, memory, 0, values.data(), count * sizeof(T)), HEDDLE_OK) << error();
    return values;
  }
};
INSTANTIATE_TEST_SUITE_P(, Features, testing::ValuesIn(executingDevices()), labelOf);

TEST_P(Features, TypesOf64Bits) {
  std::string reason;
  heddle_code *code =
      loadIfThere("wide", {"wide", 2, {8, 1, 1}, 0}, HEDDLE_FEATURE_FLOAT64 | HEDDLE_FEATURE_INT64, reason);
  if (!code)
    GTEST_SKIP() << reason;
  std::vector<double> doubles = {1, -2.5, 1e300, 0.1, 3, 4, 5, 6};
  std::vector<int64_t> longs = {0, -1, 1, 5000000000, 4, 5, 6, 7};
  heddle_memory *a = memoryOfValues(doubles), *b = memoryOfValues(longs);
  heddle_view views[] = {{0, 0, 64}, {1, 0, 64}};
  ASSERT_EQ(replay(record(code, {a, b}, {{0, {1, 1, 1}, views, nullptr}})), HEDDLE_OK) << error();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(valuesOf<double>(a, 8)[i], doubles[i] / 2);
    EXPECT_EQ(valuesOf<int64_t>(b, 8)[i], longs[i] + (int64_t(1) << 40));
  }
}

TEST_P(Features, TypesOf16And8Bits) {
  std::string reason;
  heddle_code *code = loadIfThere("narrow", {"narrow", 3, {8, 1, 1}, 0},
                                  HEDDLE_FEATURE_FLOAT16 | HEDDLE_FEATURE_INT16 | HEDDLE_FEATURE_INT8 |
                                      HEDDLE_FEATURE_STORAGE16 | HEDDLE_FEATURE_STORAGE8,
                                  reason);
  if (!code)
    GTEST_SKIP() << reason;
  // The bits of f16 numbers: 1, -1, 0, 3, 1/3 rounded, the largest number, the smallest normal number, and -5.
  std::vector<uint16_t> halves = {0x3c00, 0xbc00, 0x0000, 0x4200, 0x3555, 0x7bff, 0x0400, 0xc500};
  std::vector<uint16_t> doubled = {0x4000, 0xc000, 0x0000, 0x4600, 0x3955, 0x7c00, 0x0800, 0xc900};
  std::vector<uint16_t> shorts = {1, 2, 300, 0x7fff, 0x8000, 5, 6, 7};
  std::vector<uint8_t> bytes = {1, 2, 100, 127, 128, 255, 6, 7};
  std::vector<heddle_memory *> memories = {memoryOfValues(halves), memoryOfValues(shorts), memoryOfValues(bytes)};
  heddle_view views[] = {{0, 0, 16}, {1, 0, 16}, {2, 0, 8}};
  ASSERT_EQ(replay(record(code, memories, {{0, {1, 1, 1}, views, nullptr}})), HEDDLE_OK) << error();
  EXPECT_EQ(valuesOf<uint16_t>(memories[0], 8), doubled);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(valuesOf<uint16_t>(memories[1], 8)[i], uint16_t(shorts[i] * 2));
    EXPECT_EQ(valuesOf<uint8_t>(memories[2], 8)[i], uint8_t(bytes[i] * 2));
  }
}

TEST_P(Features, SignsOfZerosInfinitiesAndNan) {
  std::string reason;
  heddle_code *code = loadIfThere("special", {"multiply", 2, {8, 1, 1}, 0}, HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN, reason);
  if (!code)
    GTEST_SKIP() << reason;
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> a = {-0.0f, 0.0f, inf, -inf, inf, nan, 3e38f, -1.0f}, b = {2, -2, 2, 2, 0, 0, 10, 0};
  heddle_memory *memory = memoryOfValues(a), *factors = memoryOfValues(b);
  heddle_view views[] = {{0, 0, 32}, {1, 0, 32}};
  ASSERT_EQ(replay(record(code, {memory, factors}, {{0, {1, 1, 1}, views, nullptr}})), HEDDLE_OK) << error();
  std::vector<float> products = valuesOf<float>(memory, 8);
  for (int i = 0; i < 8; ++i) {
    float expected = a[i] * b[i];
    EXPECT_EQ(std::isnan(products[i]), std::isnan(expected)) << i;
    if (!std::isnan(expected)) {
      EXPECT_EQ(products[i], expected) << i;
      EXPECT_EQ(std::signbit(products[i]), std::signbit(expected)) << i;
    }
  }
}

// The kernel stores the sum of each sub-group, and for each thread the number of its sub-group. The width of sub-groups
// differs between devices, so the expected sums are computed from the numbers of the sub-groups.
TEST_P(Features, SumsOfSubgroups) {
  std::string reason;
  heddle_code *code = loadIfThere("subgroup", {"reduce", 2, {64, 1, 1}, 0},
                                  HEDDLE_FEATURE_SUBGROUP_BASIC | HEDDLE_FEATURE_SUBGROUP_ARITHMETIC, reason);
  if (!code)
    GTEST_SKIP() << reason;
  std::vector<heddle_memory *> memories = {memoryOf(numbered(64, 1)), allocate(128 * 4)};
  heddle_view views[] = {{0, 0, 256}, {1, 0, 512}};
  ASSERT_EQ(replay(record(code, memories, {{0, {1, 1, 1}, views, nullptr}})), HEDDLE_OK) << error();
  std::vector<uint32_t> words = wordsOf(memories[1], 128), sums(64), threads(64);
  for (uint32_t i = 0; i < 64; ++i) {
    ASSERT_LT(words[64 + i], 64u);
    sums[words[64 + i]] += i + 1;
    threads[words[64 + i]] += 1;
  }
  for (uint32_t group = 0; group < 64 && threads[group]; ++group) {
    EXPECT_EQ(words[group], sums[group]);
    EXPECT_LE(threads[group], device->limits->subgroup_size);
  }
}
