//===- ExecutorCheck.h - tests of every executor ----------------*- C++ -*-===//
//
// Each executor for threads of a host program must pass these tests: each task
// runs exactly once, also in concurrent and nested calls. At most `threads`
// tasks of a call run at once, and two tasks can run at once if there are two
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_RUNTIME_EXECUTORCHECK_H
#define HEDDLE_TESTS_RUNTIME_EXECUTORCHECK_H

#include "heddle/abi.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

/// Counts the runs of each task, and the tasks that run at once.
struct Tasks {
  explicit Tasks(size_t count) : runs(count) {}
  std::vector<std::atomic<int>> runs;     // the number of runs of each task
  std::atomic<size_t> now{0}, maximum{0}; // the number of tasks that run now, and its maximum

  /// Runs task `i`. `data` is the Tasks object.
  static void run(void *data, size_t i) {
    auto &tasks = *static_cast<Tasks *>(data);
    size_t now = ++tasks.now, maximum = tasks.maximum;
    while (now > maximum && !tasks.maximum.compare_exchange_weak(maximum, now))
      ;
    tasks.runs.at(i)++;
    std::this_thread::yield();
    --tasks.now;
  }
  /// Expects that each task has run `times` times.
  void expect(int times) {
    for (auto &n : runs)
      ASSERT_EQ(n, times);
    EXPECT_EQ(now, 0u); // no task is still running
  }
};

inline void runsEveryTaskOnce(const heddle_executor &executor) {
  for (size_t count : {0, 1, 2, 3, 64, 1000}) {
    Tasks tasks(count);
    ASSERT_EQ(executor.parallel_for(executor.self, count, Tasks::run, &tasks), HEDDLE_OK);
    tasks.expect(1);
    EXPECT_LE(tasks.maximum, executor.threads);
  }
}

/// Makes many calls of few tasks. A thread that is late in one call must not run a task of the next call again.
inline void keepsShortCallsApart(const heddle_executor &executor) {
  Tasks tasks(3);
  for (int call = 1; call <= 2000; ++call) {
    ASSERT_EQ(executor.parallel_for(executor.self, 3, Tasks::run, &tasks), HEDDLE_OK);
    tasks.expect(call);
  }
}

/// Three threads use the executor at once, and each task calls the executor again.
inline void takesCallersAtOnceAndCallsInTasks(const heddle_executor &executor) {
  struct Nested {
    const heddle_executor &executor;
    Tasks tasks{4};
  } nested{executor};
  auto outer = [](void *data, size_t) {
    auto &nested = *static_cast<Nested *>(data);
    nested.executor.parallel_for(nested.executor.self, 4, Tasks::run, &nested.tasks);
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      for (int call = 0; call < 100; ++call)
        executor.parallel_for(executor.self, 5, outer, &nested);
    });
  for (std::thread &caller : callers)
    caller.join();
  nested.tasks.expect(3 * 100 * 5);
}

/// Runs two tasks that wait for each other, which needs two threads.
inline void runsTasksAtOnce(const heddle_executor &executor) {
  std::atomic<int> here{0};
  auto meet = [](void *data, size_t) {
    auto &here = *static_cast<std::atomic<int> *>(data);
    for (++here; here < 2;)
      std::this_thread::yield();
  };
  ASSERT_GE(executor.threads, 2u);
  EXPECT_EQ(executor.parallel_for(executor.self, 2, meet, &here), HEDDLE_OK);
}

#endif // HEDDLE_TESTS_RUNTIME_EXECUTORCHECK_H
