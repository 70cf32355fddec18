//===- replay_test.cpp - copies in, kernels, copies out -------------------===//
//
// A replay performs copies to the device, recorded launches, and copies from
// the device, in this order. The results of each kind of kernel and copy are
// compared with results that the test computes.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <cstring>

HEDDLE_DEVICE_SUITE(Replay);
HEDDLE_KERNEL_SUITE(Kernels);
// Tests of heddle_launch.counts, the numbers of workgroups to run, which a replay reads from device memory. They run
// only on SPIR-V devices. On CUDA, all workgroups are launched, and a PTX kernel must itself return in workgroups
// beyond the counts, which the kernels of these tests do not do.
HEDDLE_SUITE_ON(Counts, executingSpirvDevices);

namespace {
// Returns a copy between all words and a range of memory number `memory` at `offset` (bytes).
heddle_copy copyOf(std::vector<uint32_t> &words, uint64_t memory, uint64_t offset = 0) {
  return {words.data(), memory, offset, words.size() * 4};
}
// Returns the number of workgroups of arithmetic kernels that this number of words needs.
constexpr uint64_t groupsFor(uint64_t words) { return (words + threadsOfArithmetic - 1) / threadsOfArithmetic; }
} // namespace

TEST_P(Replay, CopiesInAndOut) {
  std::vector<uint32_t> in = numbered(100), back(100), other = numbered(50, 9), part(50);
  std::vector<heddle_memory *> memories = {allocate(400), allocate(1000)};
  heddle_launches *launches = record(loadArithmetic(), memories, {}, 600);
  ASSERT_EQ(replay(launches, {copyOf(in, 0), copyOf(other, 1, 300)}, {copyOf(part, 1, 300), copyOf(back, 0)}),
            HEDDLE_OK)
      << error();
  EXPECT_EQ(back, in);
  EXPECT_EQ(part, other);
}

TEST_P(Kernels, AKernelRuns) {
  bool seesEnds = strcmp(device->format, "spirv") == 0; // SPIR-V kernels compute nothing beyond the end of a buffer
  for (size_t count : {1, 63, 64, 65, 128, 10000}) {
    if (count % threadsOfArithmetic != 0 && !seesEnds)
      continue;
    std::vector<uint32_t> in = numbered(count), out(count);
    heddle_view view = {0, 0, count * 4};
    heddle_launches *launches =
        record(loadArithmetic(), {allocate(count * 4)}, {{AddOne, {groupsFor(count), 1, 1}, &view, nullptr}},
               count * 4);
    ASSERT_EQ(replay(launches, {copyOf(in, 0)}, {copyOf(out, 0)}), HEDDLE_OK) << error();
    EXPECT_EQ(out, numbered(count, 1));
  }
}

// The launches are recorded once. A copy or an earlier launch writes the number of workgroups.
TEST_P(Counts, WrittenByACopy) {
  heddle_view all = {0, 0, 4 * 640}, counts = {1, 4, 12};
  heddle_launches *launches = record(loadArithmetic(), {memoryOf(numbered(640)), allocate(16)},
                                     {{AddOne, {10, 1, 1}, &all, &counts}}, 4 * 640);
  std::vector<uint32_t> expected = numbered(640);
  for (uint32_t groups : {10u, 1u, 0u, 7u}) {
    std::vector<uint32_t> in = {groups, 1, 1}, out(640);
    for (size_t i = 0; i < groups * threadsOfArithmetic; ++i)
      ++expected[i];
    ASSERT_EQ(replay(launches, {copyOf(in, 1, 4)}, {copyOf(out, 0)}), HEDDLE_OK) << error();
    EXPECT_EQ(out, expected) << groups;
  }
}

TEST_P(Counts, WrittenByALaunch) {
  heddle_view all = {0, 0, 4 * 640}, written = {1, 0, 12}, counts = written;
  std::vector<heddle_memory *> memories = {memoryOf(numbered(640)), memoryOf({2, 0, 0})};
  heddle_launches *launches = record(loadArithmetic(), memories,
                                     {{AddOne, {1, 1, 1}, &written, nullptr}, {AddOne, {10, 1, 1}, &all, &counts}});
  std::vector<uint32_t> expected = numbered(640);
  for (size_t i = 0; i < 3 * threadsOfArithmetic; ++i)
    ++expected[i];
  ASSERT_EQ(replay(launches), HEDDLE_OK) << error();
  EXPECT_EQ(wordsOf(memories[0], 640), expected);
}

// A kernel accesses only its view: the memory around the view is unchanged.
TEST_P(Kernels, ViewsOfOneMemory) {
  uint64_t step = std::max<uint64_t>(device->limits->alignment, 256);
  size_t words = step / 4, seen = strcmp(device->format, "spirv") == 0 ? 10 : threadsOfArithmetic;
  heddle_memory *memory = memoryOf(numbered(4 * words));
  heddle_view views[] = {{0, 0, seen * 4}, {0, step, seen * 4}, {0, 3 * step, seen * 4}};
  ASSERT_EQ(replay(record(loadArithmetic(), {memory}, {{Sum, {1, 1, 1}, views, nullptr}})), HEDDLE_OK) << error();
  std::vector<uint32_t> expected = numbered(4 * words);
  for (size_t i = 0; i < seen; ++i)
    expected[3 * words + i] = uint32_t(i + words + i);
  EXPECT_EQ(wordsOf(memory, 4 * words), expected);
}

TEST_P(Kernels, SeveralMemories) {
  std::vector<heddle_memory *> memories = {memoryOf(numbered(128)), memoryOf(numbered(128, 5)), allocate(512)};
  heddle_view views[] = {{0, 0, 512}, {1, 0, 512}, {2, 0, 512}};
  ASSERT_EQ(replay(record(loadArithmetic(), memories, {{Sum, {2, 1, 1}, views, nullptr}})), HEDDLE_OK) << error();
  std::vector<uint32_t> sums = wordsOf(memories[2], 128);
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(sums[i], 2 * i + 5);
}

TEST_P(Kernels, WorkgroupsInThreeDimensions) {
  heddle_code *code = load(Program(device->format, "groups", {{"number", 1, {1, 1, 1}, 0}}));
  heddle_memory *memory = allocate(5 * 3 * 2 * 4);
  heddle_view view = {0, 0, 5 * 3 * 2 * 4};
  ASSERT_EQ(replay(record(code, {memory}, {{0, {5, 3, 2}, &view, nullptr}})), HEDDLE_OK) << error();
  std::vector<uint32_t> numbers = wordsOf(memory, 5 * 3 * 2);
  for (uint32_t z = 0; z < 2; ++z)
    for (uint32_t y = 0; y < 3; ++y)
      for (uint32_t x = 0; x < 5; ++x)
        EXPECT_EQ(numbers[x + 5 * (y + 3 * z)], 1 + x + 10 * y + 100 * z);
}

TEST_P(Kernels, WorkgroupMemory) {
  heddle_memory *memory = memoryOf(numbered(128));
  heddle_view view = {0, 0, 512};
  heddle_code *code = load(Program(device->format, "workgroup", {{"reverse", 1, {64, 1, 1}, 256}}));
  ASSERT_EQ(replay(record(code, {memory}, {{0, {2, 1, 1}, &view, nullptr}})), HEDDLE_OK) << error();
  std::vector<uint32_t> words = wordsOf(memory, 128);
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(words[i], i / 64 * 64 + 63 - i % 64);
}

// Copies of one replay may use another memory of the device in place of the host. Here a part of `own` comes from the
// host and a part from the memory `from`; the results go to the memory `to` and to the host.
TEST_P(Replay, CopiesWithinTheDevice) {
  std::vector<uint32_t> part = numbered(50, 900), seen(50);
  heddle_memory *from = memoryOf(numbered(300)), *own = memoryOf(numbered(128)), *to = memoryOf(std::vector<uint32_t>(300));
  heddle_view view = {0, 0, 512};
  std::vector<heddle_launch> launches = {{AddOne, {groupsFor(128), 1, 1}, &view, nullptr}};
  heddle_launches *recorded = record(loadArithmetic(), {own}, launches, 200);
  for (uint32_t round = 0; round < 3; ++round) {
    heddle_copy in[] = {{part.data(), 0, 0, 200, nullptr, 0}, {nullptr, 0, 200, 200, from, 4 * round}};
    heddle_copy out[] = {{nullptr, 0, 0, 400, to, 400}, {seen.data(), 0, 200, 200, nullptr, 0}};
    ASSERT_EQ(replay(recorded, {in[0], in[1]}, {out[0], out[1]}), HEDDLE_OK) << error();
    uint32_t added = GetParam().executes;
    std::vector<uint32_t> all = wordsOf(to, 300);
    for (uint32_t i = 0; i < 100; ++i) {
      EXPECT_EQ(all[i], 0u);
      EXPECT_EQ(all[100 + i], (i < 50 ? 900 + i : round + i - 50) + added);
      EXPECT_EQ(all[200 + i], 0u);
    }
    EXPECT_EQ(seen, numbered(50, round + added));
  }
  // The output of one replay is the input of the next.
  recorded = record(loadArithmetic(), {own}, {});
  ASSERT_EQ(replay(recorded, {{nullptr, 0, 0, 400, from, 0}}, {{nullptr, 0, 0, 400, from, 800}}), HEDDLE_OK) << error();
  ASSERT_EQ(replay(recorded, {{nullptr, 0, 0, 400, from, 800}}, {{nullptr, 0, 0, 400, to, 0}}), HEDDLE_OK) << error();
  std::vector<uint32_t> beginning = wordsOf(to, 100);
  EXPECT_EQ(beginning, numbered(100));
}

TEST_P(Replay, CopiesWithinTheDeviceAreChecked) {
  char bytes[64] = {};
  heddle_memory *own = allocate(64), *other = allocate(64);
  heddle_launches *launches = record(loadArithmetic(), {own}, {}, 0);
  struct Case {
    heddle_copy copy;
    const char *words;
  } cases[] = {
      {{nullptr, 0, 0, 16, other, 49}, "copy 0: it lies outside the other memory"},
      {{nullptr, 0, 0, 16, other, UINT64_MAX}, "copy 0: it lies outside the other memory"},
      {{nullptr, 0, 49, 16, other, 0}, "copy 0: it lies outside its memory"},
      {{bytes, 0, 0, 16, other, 0}, "copy 0: it has an address on the host and another memory, expected one of them"},
      {{nullptr, 0, 0, 16, own, 8}, "copy 0: its source and its destination overlap"},
  };
  for (const Case &c : cases) {
    EXPECT_EQ(replay(launches, {c.copy}), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error(), c.words);
    EXPECT_EQ(replay(launches, {}, {c.copy}), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error(), c.words);
  }
  EXPECT_EQ(replay(launches, {{nullptr, 0, 0, 16, own, 16}}), HEDDLE_OK) << error();
  std::string reason;
  heddle_device *another = GetParam().open(reason);
  ASSERT_TRUE(another) << reason;
  heddle_memory *foreign = nullptr;
  ASSERT_EQ(another->allocate(another->self, 64, &foreign), HEDDLE_OK);
  EXPECT_EQ(replay(launches, {{nullptr, 0, 0, 16, foreign, 0}}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "copy 0: the other memory does not belong to this device");
  another->release(another->self, foreign);
  heddle_device_close(another);
}

TEST_P(Replay, CopiesAreChecked) {
  heddle_launches *launches = record(loadArithmetic(), {allocate(64)}, {}, 32);
  char bytes[64] = {};
  struct Case {
    heddle_copy copy;
    const char *words;
  } cases[] = {
      {{bytes, 1, 0, 4}, "copy 0: there is no memory 1"},
      {{nullptr, 0, 0, 4}, "copy 0: the address on the host is NULL"},
      {{bytes, 0, 61, 4}, "copy 0: it lies outside its memory"},
      {{bytes, 0, UINT64_MAX, 4}, "copy 0: it lies outside its memory"},
      {{bytes, 0, 0, 33}, "copy 0: the copies need more staging memory than was reserved at recording"},
  };
  for (const Case &c : cases) {
    EXPECT_EQ(replay(launches, {c.copy}), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error(), c.words);
    EXPECT_EQ(replay(launches, {}, {c.copy}), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error(), c.words);
  }
  EXPECT_EQ(replay(launches, {{bytes, 0, 0, 32}, {bytes, 0, 40, 1}}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "copy 1: the copies need more staging memory than was reserved at recording");
  EXPECT_EQ(replay(launches, {{bytes, 0, 0, 32}, {nullptr, 0, 0, 0}}, {{bytes, 0, 0, 32}}), HEDDLE_OK) << error();
  EXPECT_EQ(device->replay(device->self, nullptr, nullptr, 0, nullptr, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->replay(device->self, launches, nullptr, 1, nullptr, 0), HEDDLE_INVALID_ARGUMENT);
}
