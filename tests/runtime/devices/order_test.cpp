//===- order_test.cpp - launches see earlier writes -----------------------===//
//
// In a replay, which is one execution of recorded copies and launches, each
// launch must read what earlier copies and launches wrote. A missing barrier in
// a driver would make the results depend on the timing.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

HEDDLE_KERNEL_SUITE(Order);

TEST_P(Order, LaunchesOneAfterAnother) {
  heddle_memory *memory = memoryOf(numbered(64));
  heddle_view view = {0, 0, 256};
  heddle_launch twice = {Twice, {1, 1, 1}, &view, nullptr}, addOne = {AddOne, {1, 1, 1}, &view, nullptr};
  ASSERT_EQ(replay(record(loadArithmetic(), {memory}, {twice, addOne, addOne, twice})), HEDDLE_OK) << error();
  std::vector<uint32_t> words = wordsOf(memory, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(words[i], 2 * (2 * i + 1 + 1));
}

// Each launch of a chain reads what the previous launch wrote. Without a barrier between two launches, a workgroup of
// the second could read an element before the first has written it.
TEST_P(Order, LongChains) {
  constexpr size_t words = 1 << 14, links = 200;
  heddle_memory *memory = memoryOf(std::vector<uint32_t>(words, 1));
  heddle_view whole = {0, 0, words * 4}, doubled[] = {whole, whole, {1, 0, words * 4}};
  heddle_view back[] = {{1, 0, words * 4}, {1, 0, words * 4}, whole};
  std::vector<heddle_launch> launches;
  for (size_t i = 0; i < links; ++i) {
    launches.push_back({Sum, {words / threadsOfArithmetic, 1, 1}, doubled, nullptr});
    launches.push_back({Sum, {words / threadsOfArithmetic, 1, 1}, back, nullptr});
    launches.push_back({AddOne, {words / threadsOfArithmetic, 1, 1}, &whole, nullptr});
  }
  ASSERT_EQ(replay(record(loadArithmetic(), {memory, allocate(words * 4)}, launches)), HEDDLE_OK) << error();
  uint32_t expected = 1;
  for (size_t i = 0; i < links; ++i)
    expected = 4 * expected + 1;
  EXPECT_EQ(wordsOf(memory, words), std::vector<uint32_t>(words, expected));
}

TEST_P(Order, LaunchesSeeCopiesInAndCopiesOutSeeLaunches) {
  constexpr size_t words = 1 << 16;
  heddle_view view = {0, 0, words * 4};
  heddle_launches *launches =
      record(loadArithmetic(), {allocate(words * 4)}, {{Twice, {words / threadsOfArithmetic, 1, 1}, &view, nullptr}},
             words * 4);
  for (uint32_t round = 0; round < 20; ++round) {
    std::vector<uint32_t> in(words, round + 1), out(words);
    ASSERT_EQ(replay(launches, {{in.data(), 0, 0, words * 4}}, {{out.data(), 0, 0, words * 4}}), HEDDLE_OK) << error();
    ASSERT_EQ(out, std::vector<uint32_t>(words, 2 * round + 2));
  }
}
