//===- executor_test.cpp - the runtime's thread pool ----------------------===//
//
// An executor runs the tasks of a call on threads. The executor of the runtime
// (heddle_executor_create) must run each task exactly once, also if calls are
// concurrent or nested, while workers sleep, and in the child of a fork, where
// the worker threads do not exist.
//
//===----------------------------------------------------------------------===//

#include "heddle/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

struct DestroyExecutor {
  void operator()(heddle_executor *executor) const { heddle_executor_destroy(executor); }
};
using ExecutorPtr = std::unique_ptr<heddle_executor, DestroyExecutor>;

ExecutorPtr create(size_t threads) { return ExecutorPtr(heddle_executor_create(threads)); }

void parallelFor(heddle_executor *executor, size_t count, void (*task)(void *, size_t), void *data) {
  executor->parallel_for(executor->self, count, task, data);
}

/// A task: increments element `i` of the vector `data`.
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

TEST(Executor, ManyShortCallsDoNotInterfere) {
  ExecutorPtr executor = create(3);
  std::vector<std::atomic<int>> runs(5);
  for (int call = 1; call <= 20000; ++call) {
    parallelFor(executor.get(), runs.size(), countUp, &runs);
    for (auto &n : runs)
      ASSERT_EQ(n, call);
  }
}

/// The pauses are so long that the workers stop spinning and sleep.
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

TEST(Executor, ConcurrentCallsAndNestedCalls) {
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

/// Returns the affinity mask of the only worker of a pool. Each of the two tasks waits until both have started, so the
/// caller and the worker run one task each.
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

/// A worker is bound to one core. If a later caller runs on this core, the worker must move to another core, because
/// the two threads would otherwise share the core.
TEST(Executor, WorkersLeaveTheCoreOfTheCaller) {
  if (heddle_physical_cores() < 2)
    GTEST_SKIP() << "there is only one core";
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  ExecutorPtr executor = create(2);
  cpu_set_t first = workerMask(executor.get());
  ASSERT_EQ(CPU_COUNT(&first), 1);
  sched_setaffinity(0, sizeof first, &first); // the caller moves to the core of the worker
  cpu_set_t second = workerMask(executor.get()), third = workerMask(executor.get());
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(CPU_COUNT(&second), 1);
  EXPECT_FALSE(CPU_EQUAL(&first, &second));
  EXPECT_TRUE(CPU_EQUAL(&second, &third)); // the worker does not move again
  cpu_set_t allowed;
  CPU_AND(&allowed, &second, &before);
  EXPECT_EQ(CPU_COUNT(&allowed), 1);
}

/// Returns the number of bytes that this process has read from files; 0 if Linux does not count them.
unsigned long long bytesRead() {
  unsigned long long count = 0;
  if (FILE *file = fopen("/proc/self/io", "re")) {
    if (fscanf(file, "rchar: %llu", &count) != 1)
      count = 0;
    fclose(file);
  }
  return count;
}

/// The caller moves between cores before each call, so the worker must move, too. The executor must have read the
/// topology of the CPU in advance, because reading files in a call would be slow.
TEST(Executor, ReadsNoFileInACall) {
  if (heddle_physical_cores() < 2)
    GTEST_SKIP() << "there is only one core";
  if (!bytesRead())
    GTEST_SKIP() << "the kernel does not count the bytes that a process reads";
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
  EXPECT_LE(third - second, second - first + 16); // bytesRead() itself reads a file of a varying length
}

/// Runs `body` in a child process. Returns its exit status; -1 if it hangs or is killed by a signal.
template <typename Body> int inChild(Body body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(120);
    _exit(body());
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Returns whether the pool runs tasks correctly, on at least two threads of this process.
bool worksHere(heddle_executor *executor) {
  std::vector<std::atomic<int>> runs(64);
  for (int call = 0; call < 100; ++call)
    parallelFor(executor, runs.size(), countUp, &runs);
  for (auto &n : runs)
    if (n != 100)
      return false;
  workerMask(executor); // returns only if a worker of this process runs a task
  return true;
}

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
// ThreadSanitizer does not support threads in the child of a process with threads.
constexpr bool canFork = false;
#else
constexpr bool canFork = true;
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
constexpr bool leaksAreErrors = true; // leaks change the exit status of a child that ends with its last thread
#else
constexpr bool leaksAreErrors = false;
#endif

TEST(Executor, WorksInTheChildOfAFork) {
  if (!canFork)
    GTEST_SKIP() << "ThreadSanitizer does not support this test";
  ExecutorPtr executor = create(2);
  ASSERT_TRUE(worksHere(executor.get()));
  EXPECT_EQ(inChild([&] {
              // The child of the child is tested, too.
              return worksHere(executor.get()) && inChild([&] { return worksHere(executor.get()) ? 3 : 4; }) == 3 ? 0 : 1;
            }),
            0);
  // Here the first child forks before it calls the executor.
  EXPECT_EQ(inChild([&] { return inChild([&] { return worksHere(executor.get()) ? 5 : 6; }); }), 5);
  EXPECT_EQ(inChild([&] { return executor.reset(), 7; }), 7);
  EXPECT_TRUE(worksHere(executor.get()));
}

TEST(Executor, WorksInTheChildOfAForkDuringACall) {
  if (!canFork)
    GTEST_SKIP() << "ThreadSanitizer does not support this test";
  ExecutorPtr executor = create(2);
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    std::vector<std::atomic<int>> runs(32);
    while (!stop)
      parallelFor(executor.get(), runs.size(), countUp, &runs);
  });
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(inChild([&] {
                std::vector<std::thread> callers; // several callers detect the fork at once
                std::atomic<int> good{0};
                for (int j = 0; j < 3; ++j)
                  callers.emplace_back([&] {
                    std::vector<std::atomic<int>> runs(16);
                    parallelFor(executor.get(), runs.size(), countUp, &runs);
                    bool all = true;
                    for (auto &n : runs)
                      all = all && n == 1;
                    good += all;
                  });
                for (std::thread &thread : callers)
                  thread.join();
                return good == 3 && worksHere(executor.get()) ? 0 : 1;
              }),
              0);
  stop = true;
  caller.join();
}

/// A task forks. In the child, the other threads of the call do not exist, so the call cannot be completed there. The
/// child must end, or parallel_for must return an error, instead of waiting for these threads forever.
TEST(Executor, AForkInsideATaskEnds) {
  if (!canFork)
    GTEST_SKIP() << "ThreadSanitizer does not support this test";
  ExecutorPtr executor = create(2);
  struct Meeting {
    pthread_t caller = pthread_self();
    bool byCaller;
    std::atomic<int> here{0};
    std::atomic<pid_t> child{-1};
  };
  for (bool byCaller : {true, false}) {
    if (!byCaller && leaksAreErrors)
      continue;
    Meeting meeting;
    meeting.byCaller = byCaller;
    pid_t parent = getpid();
    enum heddle_status status = executor->parallel_for(
        executor->self, 2,
        [](void *data, size_t) {
          auto &meeting = *static_cast<Meeting *>(data);
          for (meeting.here++; meeting.here < 2;) // each thread has one of the tasks
            std::this_thread::yield();
          if (bool(pthread_equal(pthread_self(), meeting.caller)) == meeting.byCaller) {
            pid_t child = fork();
            if (child == 0)
              alarm(120);
            else
              meeting.child = child;
          } else {
            while (meeting.child == -1)
              std::this_thread::yield();
          }
        },
        &meeting);
    // If the caller forked, its copy in the child returns from parallel_for with an error. If the worker forked, its
    // copy is the only thread of the child and ends, so the child ends with status 0.
    if (getpid() != parent)
      _exit(status == HEDDLE_EXECUTOR_FAILED ? 0 : 1);
    EXPECT_EQ(status, HEDDLE_OK);
    int end = 0;
    EXPECT_EQ(waitpid(meeting.child, &end, 0), meeting.child);
    EXPECT_TRUE(WIFEXITED(end) && WEXITSTATUS(end) == 0) << byCaller << " " << end;
  }
}

TEST(Executor, DestroyTakesNull) {
  heddle_executor_destroy(nullptr);
  EXPECT_GE(heddle_physical_cores(), 1u);
}

} // namespace
