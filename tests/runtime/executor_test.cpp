//===- executor_test.cpp - every task once, from any number of callers ----===//

#include "heddle/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace {

struct Deleter {
  void operator()(heddle_executor *executor) const { heddle_executor_destroy(executor); }
};
using ExecutorPtr = std::unique_ptr<heddle_executor, Deleter>;

ExecutorPtr create(size_t threads) { return ExecutorPtr(heddle_executor_create(threads)); }

void parallelFor(heddle_executor *executor, size_t count, void (*task)(void *, size_t), void *data) {
  executor->parallel_for(executor->self, count, task, data);
}

void countUp(void *data, size_t i) { (*static_cast<std::vector<std::atomic<int>> *>(data))[i]++; }

TEST(Executor, RunsEveryTaskOnce) {
  for (size_t threads : {1, 2, 3, 7}) {
    ExecutorPtr executor = create(threads);
    ASSERT_TRUE(executor);
    EXPECT_EQ(executor->threads, threads);
    for (size_t count : {0, 1, 2, 3, 64, 1000}) {
      std::vector<std::atomic<int>> runs(count);
      parallelFor(executor.get(), count, countUp, &runs);
      for (auto &n : runs)
        EXPECT_EQ(n, 1);
    }
  }
}

TEST(Executor, ManyShortCallsStayApart) {
  ExecutorPtr executor = create(3);
  std::vector<std::atomic<int>> runs(5);
  for (int call = 1; call <= 20000; ++call) {
    parallelFor(executor.get(), runs.size(), countUp, &runs);
    for (auto &n : runs)
      ASSERT_EQ(n, call);
  }
}

TEST(Executor, WorkersWakeAfterTheySlept) {
  ExecutorPtr executor = create(2);
  std::vector<std::atomic<int>> runs(8);
  for (int call = 0; call < 3; ++call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    parallelFor(executor.get(), runs.size(), countUp, &runs);
  }
  for (auto &n : runs)
    EXPECT_EQ(n, 3);
}

TEST(Executor, CallersAtOnceAndCallsInsideATask) {
  ExecutorPtr executor = create(3);
  struct Nested {
    heddle_executor *executor;
    std::vector<std::atomic<int>> runs = std::vector<std::atomic<int>>(4);
  } nested{executor.get()};
  auto outer = [](void *data, size_t) {
    auto &nested = *static_cast<Nested *>(data);
    parallelFor(nested.executor, 4, countUp, &nested.runs);
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      for (int call = 0; call < 200; ++call)
        parallelFor(nested.executor, 5, outer, &nested);
    });
  for (auto &caller : callers)
    caller.join();
  for (auto &n : nested.runs)
    EXPECT_EQ(n, 3 * 200 * 5);
}

TEST(Executor, IsDestroyedWhileWorkersSleepSpinOrStart) {
  for (int pause : {0, 0, 1, 20})
    for (size_t threads : {2, 5, 16}) {
      ExecutorPtr executor = create(threads);
      ASSERT_TRUE(executor);
      std::vector<std::atomic<int>> runs(threads);
      if (pause)
        parallelFor(executor.get(), runs.size(), countUp, &runs);
      std::this_thread::sleep_for(std::chrono::milliseconds(pause));
      executor.reset();
      for (auto &n : runs)
        EXPECT_EQ(n, pause ? 1 : 0);
    }
}

/// Where the one worker of a pool may run; both threads take part in the call.
cpu_set_t workerMask(heddle_executor *executor) {
  struct Meeting {
    pthread_t caller = pthread_self();
    std::atomic<int> here{0};
    cpu_set_t mask;
  } meeting;
  parallelFor(
      executor, 2,
      [](void *data, size_t) {
        auto &meeting = *static_cast<Meeting *>(data);
        if (!pthread_equal(pthread_self(), meeting.caller))
          sched_getaffinity(0, sizeof meeting.mask, &meeting.mask);
        for (meeting.here++; meeting.here < 2;)
          std::this_thread::yield();
      },
      &meeting);
  return meeting.mask;
}

TEST(Executor, WorkersLeaveTheCoreThatTheCallerCameTo) {
  if (heddle_physical_cores() < 2)
    GTEST_SKIP() << "there is only one core";
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  ExecutorPtr executor = create(2);
  cpu_set_t first = workerMask(executor.get());
  ASSERT_EQ(CPU_COUNT(&first), 1);
  sched_setaffinity(0, sizeof first, &first); // the caller comes to the worker's core
  cpu_set_t second = workerMask(executor.get()), third = workerMask(executor.get());
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(CPU_COUNT(&second), 1);
  EXPECT_FALSE(CPU_EQUAL(&first, &second));
  EXPECT_TRUE(CPU_EQUAL(&second, &third)); // and stays where it is then
  cpu_set_t allowed;
  CPU_AND(&allowed, &second, &before);
  EXPECT_EQ(CPU_COUNT(&allowed), 1);
}

/// Bytes that this process has read from files so far; 0 where the kernel does not count.
unsigned long long bytesRead() {
  unsigned long long count = 0;
  if (FILE *file = fopen("/proc/self/io", "re")) {
    if (fscanf(file, "rchar: %llu", &count) != 1)
      count = 0;
    fclose(file);
  }
  return count;
}

TEST(Executor, ReadsNoFileInACall) {
  if (heddle_physical_cores() < 2)
    GTEST_SKIP() << "there is only one core";
  if (!bytesRead())
    GTEST_SKIP() << "the kernel does not say what is read";
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  ExecutorPtr executor = create(2);
  cpu_set_t mine = before, other = workerMask(executor.get());
  CPU_XOR(&mine, &before, &other);
  unsigned long long first = bytesRead(), second = bytesRead();
  for (int i = 0; i < 20; ++i) {
    sched_setaffinity(0, sizeof mine, i % 2 ? &mine : &other);
    workerMask(executor.get());
  }
  unsigned long long third = bytesRead();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_LE(third - second, second - first + 16); // what reading the count itself takes, which has digits of its own
}

TEST(Executor, DestroyTakesNull) {
  heddle_executor_destroy(nullptr);
  EXPECT_GE(heddle_physical_cores(), 1u);
}

} // namespace
