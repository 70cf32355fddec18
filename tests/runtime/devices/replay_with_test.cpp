//===- replay_with_test.cpp - replays with other memories -----------------===//
//
// A memory is open if its entry in the list `memories` of record() is null.
// For one replay, replay_with() binds an allocation to each open memory that a
// launch uses. Wrong bindings must be refused, and a replay must not use an
// earlier binding.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

HEDDLE_DEVICE_SUITE(ReplayWith);
HEDDLE_KERNEL_SUITE(OpenKernels);

namespace {
constexpr uint64_t wordsEach = threadsOfArithmetic, bytesEach = 4 * wordsEach;

heddle_binding bindingOf(heddle_memory *memory, uint64_t number = 0, uint64_t offset = 0, uint64_t size = bytesEach) {
  return {number, memory, offset, size};
}
heddle_copy wholeCopyOf(std::vector<uint32_t> &list, uint64_t memory) {
  return {list.data(), memory, 0, list.size() * 4};
}
} // namespace

// The launches are recorded once and run on the memories that each replay binds: twice on one memory, then on another,
// at an offset, and on memories that are allocated later.
TEST_P(OpenKernels, EachReplayBindsItsMemories) {
  heddle_view view = {0, 0, bytesEach};
  heddle_launches *launches = record(loadArithmetic(), {nullptr}, {{AddOne, {1, 1, 1}, &view, nullptr}});
  auto run = [&](const heddle_binding &binding) {
    return device->replay_with(device->self, launches, &binding, 1, nullptr, 0, nullptr, 0);
  };
  heddle_memory *one = memoryOf(numbered(wordsEach)), *other = memoryOf(numbered(wordsEach, 7));
  for (uint32_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(run(bindingOf(one)), HEDDLE_OK) << error();
    ASSERT_EQ(run(bindingOf(one)), HEDDLE_OK) << error();
    ASSERT_EQ(run(bindingOf(other)), HEDDLE_OK) << error();
    EXPECT_EQ(wordsOf(one, wordsEach), numbered(wordsEach, 2 * i));
    EXPECT_EQ(wordsOf(other, wordsEach), numbered(wordsEach, 7 + i));
  }
  uint64_t step = std::max<uint64_t>(device->limits->alignment, bytesEach);
  heddle_memory *parts = memoryOf(numbered(2 * step / 4));
  ASSERT_EQ(run(bindingOf(parts, 0, step)), HEDDLE_OK) << error();
  std::vector<uint32_t> expected = numbered(2 * step / 4);
  for (size_t i = 0; i < wordsEach; ++i)
    ++expected[step / 4 + i];
  EXPECT_EQ(wordsOf(parts, expected.size()), expected);
  for (uint32_t i = 0; i < 4; ++i) { // the driver gives most of these allocations the same address
    heddle_memory *later = nullptr;
    ASSERT_EQ(device->allocate(device->self, bytesEach, &later), HEDDLE_OK) << error();
    std::vector<uint32_t> filled = numbered(wordsEach, i), found(wordsEach);
    ASSERT_EQ(device->upload(device->self, later, 0, filled.data(), bytesEach), HEDDLE_OK) << error();
    EXPECT_EQ(run(bindingOf(later)), HEDDLE_OK) << error();
    EXPECT_EQ(device->download(device->self, later, 0, found.data(), bytesEach), HEDDLE_OK) << error();
    EXPECT_EQ(found, numbered(wordsEach, i + 1));
    device->release(device->self, later);
  }
}

// Some memories are passed to record(), and the others are bound in each replay. Copies use the memories that were
// passed to record().
TEST_P(OpenKernels, BoundAndFixedMemories) {
  heddle_view views[] = {{0, 0, bytesEach}, {2, 0, bytesEach}, {1, 0, bytesEach}};
  std::vector<heddle_memory *> memories = {allocate(bytesEach), nullptr, memoryOf(numbered(wordsEach, 100))};
  heddle_launches *launches = record(loadArithmetic(), memories,
                                     {{Sum, {1, 1, 1}, views, nullptr}, {Twice, {1, 1, 1}, views, nullptr}}, bytesEach);
  for (heddle_memory *out : {allocate(bytesEach), allocate(bytesEach)}) {
    std::vector<uint32_t> in = numbered(wordsEach, 5), back(wordsEach);
    heddle_copy copyIn = wholeCopyOf(in, 0), copyOut = wholeCopyOf(back, 0);
    heddle_binding binding = bindingOf(out, 1);
    ASSERT_EQ(device->replay_with(device->self, launches, &binding, 1, &copyIn, 1, &copyOut, 1), HEDDLE_OK) << error();
    std::vector<uint32_t> sums(wordsEach), twice(wordsEach);
    for (uint32_t i = 0; i < wordsEach; ++i)
      sums[i] = 105 + 2 * i, twice[i] = 2 * (5 + i);
    EXPECT_EQ(wordsOf(out, wordsEach), sums);
    EXPECT_EQ(back, twice);
  }
}

TEST_P(OpenKernels, TimedLaunches) {
  heddle_view view = {0, 0, bytesEach};
  heddle_launches *launches = recordTimed(loadArithmetic(), {nullptr}, {{AddOne, {1, 1, 1}, &view, nullptr}});
  heddle_memory *one = memoryOf(numbered(wordsEach)), *other = memoryOf(numbered(wordsEach));
  double seconds = -1;
  for (heddle_memory *memory : {one, other, one}) {
    heddle_binding binding = bindingOf(memory);
    ASSERT_EQ(device->replay_with(device->self, launches, &binding, 1, nullptr, 0, nullptr, 0), HEDDLE_OK) << error();
    EXPECT_EQ(device->times(device->self, launches, &seconds, 1), HEDDLE_OK) << error();
    EXPECT_GE(seconds, 0);
  }
  EXPECT_EQ(wordsOf(one, wordsEach), numbered(wordsEach, 2));
}

TEST_P(ReplayWith, BindingsAreChecked) {
  heddle_code *code = loadArithmetic();
  uint64_t step = device->limits->alignment;
  heddle_view view = {0, 4 * step, bytesEach};
  heddle_launches *launches =
      record(code, {nullptr, allocate(bytesEach), nullptr}, {{AddOne, {1, 1, 1}, &view, nullptr}});
  heddle_memory *memory = memoryOf(numbered((8 * step + bytesEach) / 4));
  auto refusal = [&](std::vector<heddle_binding> bindings) {
    EXPECT_EQ(device->replay_with(device->self, launches, bindings.data(), bindings.size(), nullptr, 0, nullptr, 0),
              HEDDLE_INVALID_ARGUMENT);
    return error();
  };
  EXPECT_EQ(replay(launches), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "open memory 0 is not bound");
  EXPECT_EQ(refusal({bindingOf(memory, 2)}), "open memory 0 is not bound");
  heddle_binding good = bindingOf(memory, 0, step, 5 * step);
  EXPECT_EQ(refusal({good, good}), "open memory 0 is bound twice");
  EXPECT_EQ(refusal({bindingOf(memory, 1)}), "binding 0: its index `memory` is not that of an open memory");
  EXPECT_EQ(refusal({bindingOf(memory, 3)}), "binding 0: its index `memory` is not that of an open memory");
  EXPECT_EQ(refusal({bindingOf(nullptr)}), "binding 0: the bound memory does not belong to this device");
  EXPECT_EQ(refusal({bindingOf(memory, 0, 0, 4 * step)}), "binding 0: a view begins after the end of the binding");
  EXPECT_EQ(refusal({bindingOf(memory, 0, 0, 0)}), "binding 0: its size is 0, or it lies outside the bound memory");
  EXPECT_EQ(refusal({bindingOf(memory, 0, 8 * step, bytesEach + 1)}),
            "binding 0: its size is 0, or it lies outside the bound memory");
  if (step > 1)
    EXPECT_EQ(refusal({bindingOf(memory, 0, 1)}),
              "binding 0: its offset is not a multiple of the device's alignment");
  EXPECT_EQ(device->replay_with(device->self, launches, &good, 1, nullptr, 0, nullptr, 0), HEDDLE_OK) << error();
  std::vector<uint32_t> some(1);
  heddle_copy copy = wholeCopyOf(some, 0);
  EXPECT_EQ(device->replay_with(device->self, launches, &good, 1, &copy, 1, nullptr, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "copy 0: memory 0 is open, so it cannot be copied");
  EXPECT_EQ(device->replay_with(device->self, launches, nullptr, 1, nullptr, 0, nullptr, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "the pointer to the bindings is NULL");
}
