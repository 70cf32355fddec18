// tbb.hpp - an executor that uses the threads of oneTBB. Header only; C++17, with oneTBB 2021 or later.
//   tbb::task_arena arena(4);
//   heddle::TbbExecutor executor(arena);
//   status = minilm_run(&model, &args, memory, memory_size, &executor.get());
#ifndef HEDDLE_EXECUTORS_TBB_HPP
#define HEDDLE_EXECUTORS_TBB_HPP
#include "heddle/abi.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace heddle {

class TbbExecutor {
public:
  /// Creates an executor with as many threads as the arena has. The arena must outlive the executor.
  explicit TbbExecutor(tbb::task_arena &arena)
      : arena(arena), executor{this, size_t(arena.max_concurrency()), &TbbExecutor::parallelFor} {}
  TbbExecutor(const TbbExecutor &) = delete;
  TbbExecutor &operator=(const TbbExecutor &) = delete;

  /// The C struct; valid as long as this object.
  const heddle_executor &get() const { return executor; }

private:
  /// Runs the tasks in the arena. Isolation prevents the calling thread from running other work of the arena while it
  /// waits for the tasks.
  void run(size_t count, void (*task)(void *data, size_t i), void *data) {
    auto body = [&](const tbb::blocked_range<size_t> &range) {
      for (size_t i = range.begin(); i != range.end(); ++i)
        task(data, i);
    };
    arena.execute([&] {
      tbb::this_task_arena::isolate(
          [&] { tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 1), body, tbb::simple_partitioner()); });
    });
  }

  static heddle_status parallelFor(void *self, size_t count, void (*task)(void *data, size_t i), void *data) {
#ifdef __cpp_exceptions
    try {
      static_cast<TbbExecutor *>(self)->run(count, task, data);
    } catch (...) { // tasks never throw, so oneTBB lacks memory; it has waited for the tasks that it had started
      return HEDDLE_EXECUTOR_FAILED;
    }
#else
    static_cast<TbbExecutor *>(self)->run(count, task, data);
#endif
    return HEDDLE_OK;
  }

  tbb::task_arena &arena;
  heddle_executor executor;
};

} // namespace heddle

#endif // HEDDLE_EXECUTORS_TBB_HPP
