//===- earlier_test.cpp - calls a library of an earlier version -----------===//
//
// Host programs may keep compiled libraries while they update the runtime, so
// the current runtime must read the description of an earlier library and infer
// the sizes of calls. The results must have the same bits as the results that
// were stored when the library was compiled, for any number of threads and after
// the library was loaded again. Calls must not allocate memory.
//
//===----------------------------------------------------------------------===//

#include "CountedAllocations.h"
#include "EarlierLibrary.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

class Earlier : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(library.isRead);
    if (!model)
      GTEST_SKIP() << model.error(); // the library is for x86-64-v2, which this CPU does not support
  }
  EarlierLibrary library;
  heddle::Model model = EarlierLibrary::load();
};

TEST_F(Earlier, ResultsHaveTheSameBits) {
  EXPECT_STREQ(model.variant(), "x86-64-v2");
  EXPECT_STREQ(model.description().name, "dense");
  heddle::Call call(model);
  ASSERT_EQ(call.bind({{"input", library.input.data(), {64, 8}}}), HEDDLE_OK) << call.error();
  EXPECT_EQ(call.shape("out"), (heddle::Shape{64, 20}));
  for (size_t m : {1, 2, 3, 17, 63, 64}) {
    std::vector<float> out(m * EarlierLibrary::n, -1);
    EXPECT_TRUE(library.call(call, m, out.data())) << m << " " << call.error();
  }
  EXPECT_EQ(call.bind({{"input", library.input.data(), {65, 8}}}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(call.error(), "input 'input': m is 65, outside 1..64");
}

TEST_F(Earlier, EightThreadsCallItAtOnce) {
  heddle::Executor pool(2);
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (size_t number = 0; number < 8; ++number)
    threads.emplace_back([&, number] {
      heddle::Call call(model);
      std::vector<float> out(EarlierLibrary::maximum * EarlierLibrary::n);
      int right = 0;
      for (size_t i = 0; i < 10000; ++i)
        right += library.call(call, (i * 29 + number * 7) % EarlierLibrary::maximum + 1, out.data(),
                              number % 2 ? pool.get() : nullptr);
      good += right;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 8 * 10000);
}

TEST_F(Earlier, ACallAllocatesNothing) {
  if (!countsAllocations())
    GTEST_SKIP() << "sanitizers and valgrind replace malloc, so allocations are not counted";
  heddle::Executor pool(2);
  heddle::Call call(model);
  std::vector<float> out(EarlierLibrary::maximum * EarlierLibrary::n);
  ASSERT_TRUE(library.call(call, 1, out.data(), pool.get())); // allocates a small arena
  long long growing = allocations();
  ASSERT_TRUE(library.call(call, 64, out.data(), pool.get()));
  EXPECT_LE(allocations() - growing, 1); // the larger arena
  ASSERT_EQ(call.reserve(2), HEDDLE_OK);
  long long before = allocations();
  bool good = true;
  for (size_t i = 0; i < 1000; ++i)
    good = good && library.call(call, i * 29 % 64 + 1, out.data(), i % 3 ? pool.get() : nullptr);
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(good);
  heddle::Call another(model); // allocates memory, which the counter must show
  EXPECT_GT(allocations(), before);
}

/// Returns the number of lines in the memory map of this process that contain `word`.
int mappings(const char *word) {
  int count = 0;
  char line[1024];
  if (FILE *file = fopen("/proc/self/maps", "re")) {
    while (fgets(line, sizeof line, file))
      count += std::strstr(line, word) != nullptr;
    fclose(file);
  }
  return count;
}

TEST_F(Earlier, IsLoadedAndUnloadedWithoutALeak) {
  std::vector<float> out(EarlierLibrary::maximum * EarlierLibrary::n);
  auto cycle = [&] {
    heddle::Executor pool(2);
    heddle::Model again = EarlierLibrary::load();
    heddle::Call call(again);
    return again && library.call(call, 40, out.data(), pool.get());
  };
  EXPECT_GT(mappings("dense.so"), 0);
  model = heddle::Model(nullptr); // drops the last reference to the model
  EXPECT_EQ(mappings("dense.so") + mappings("dense.weights"), 0);
  for (int i = 0; i < 10; ++i) // libc retains some memory of the first cycles
    ASSERT_TRUE(cycle());
  long long before = aliveAllocations();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(cycle());
  EXPECT_LE(aliveAllocations(), before);
  EXPECT_EQ(mappings("dense.so") + mappings("dense.weights"), 0);
}

} // namespace
