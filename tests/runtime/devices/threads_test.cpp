//===- threads_test.cpp - many threads on one device ----------------------===//
//
// Several threads may use one device at once. Neither results nor error texts
// may be mixed up between threads.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <atomic>
#include <thread>

HEDDLE_DEVICE_SUITE(Threads);
HEDDLE_KERNEL_SUITE(ThreadsOnKernels);

namespace {
// Runs body(0) to body(count - 1), each in its own thread.
template <typename Body> void inThreads(int count, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
}
} // namespace

// Each thread has its own memory and launches, as in concurrent calls of a model.
TEST_P(Threads, ThreadsWithTheirOwnLaunches) {
  heddle_code *code = loadArithmetic();
  std::atomic<int> wrong{0};
  inThreads(4, [&](int thread) {
    constexpr size_t words = 1024;
    heddle_memory *memory = nullptr;
    heddle_launches *launches = nullptr;
    heddle_view view = {0, 0, words * 4};
    heddle_launch launch = {AddOne, {16, 1, 1}, &view, nullptr};
    for (uint32_t round = 0; round < 20; ++round) {
      std::vector<uint32_t> in = numbered(words, uint32_t(thread) * 1000 + round), out(words);
      heddle_copy copyIn = {in.data(), 0, 0, words * 4}, copyOut = {out.data(), 0, 0, words * 4};
      wrong += device->allocate(device->self, words * 4, &memory) ||
               device->record(device->self, code, &memory, 1, &launch, 1, words * 4, &launches) ||
               device->replay(device->self, launches, &copyIn, 1, &copyOut, 1);
      if (GetParam().executes)
        for (uint32_t &word : in)
          ++word;
      wrong += out != in;
      device->forget(device->self, launches);
      device->release(device->self, memory);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(ThreadsOnKernels, AllThreadsReplayOneList) {
  heddle_memory *memory = memoryOf(numbered(1024));
  heddle_view view = {0, 0, 4096};
  heddle_launches *launches = record(loadArithmetic(), {memory}, {{AddOne, {16, 1, 1}, &view, nullptr}});
  std::atomic<int> wrong{0};
  inThreads(4, [&](int) {
    for (int i = 0; i < 50; ++i)
      wrong += replay(launches) != HEDDLE_OK;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(wordsOf(memory, 1024), numbered(1024, 200));
}

// All threads replay the same launches with copies in and out. The copies and launches of one replay must not be mixed
// with those of another replay.
TEST_P(Threads, CopiesOfOneListStayTogether) {
  constexpr size_t words = 1024;
  heddle_view view = {0, 0, words * 4};
  heddle_launches *launches =
      record(loadArithmetic(), {allocate(words * 4)}, {{AddOne, {16, 1, 1}, &view, nullptr}}, words * 4);
  std::atomic<int> wrong{0};
  inThreads(4, [&](int thread) {
    for (uint32_t round = 0; round < 50; ++round) {
      std::vector<uint32_t> in(words, uint32_t(thread) * 100 + round), out(words);
      wrong += replay(launches, {{in.data(), 0, 0, words * 4}}, {{out.data(), 0, 0, words * 4}}) != HEDDLE_OK;
      wrong += out != std::vector<uint32_t>(words, in[0] + GetParam().executes);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Threads, UploadsAndDownloads) {
  std::atomic<int> wrong{0};
  std::vector<heddle_memory *> memories = {allocate(40000), allocate(40000), allocate(40000), allocate(40000)};
  inThreads(4, [&](int thread) {
    std::vector<uint32_t> words = numbered(10000, uint32_t(thread) << 20), back(10000);
    for (int round = 0; round < 20; ++round) {
      wrong += device->upload(device->self, memories[thread], 0, words.data(), 40000) != HEDDLE_OK;
      wrong += device->download(device->self, memories[thread], 0, back.data(), 40000) != HEDDLE_OK;
      wrong += words != back;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Threads, ThreadsLoadCode) {
  std::atomic<int> wrong{0};
  Program program(device->format, "arithmetic", arithmeticKernels());
  inThreads(4, [&](int) {
    heddle_code *code = nullptr;
    wrong += device->load(device->self, &program.program, &code) != HEDDLE_OK;
    device->unload(device->self, code);
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Threads, EachThreadHasItsOwnError) {
  heddle_memory *memory = nullptr;
  EXPECT_EQ(device->allocate(device->self, 0, &memory), HEDDLE_INVALID_ARGUMENT);
  std::string here = error();
  std::thread([&] {
    heddle_code *code = nullptr;
    EXPECT_EQ(device->load(device->self, nullptr, &code), HEDDLE_INVALID_ARGUMENT);
    EXPECT_NE(error(), here);
  }).join();
  EXPECT_EQ(error(), here);
}
