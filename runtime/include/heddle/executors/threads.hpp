// threads.hpp - a thread pool of the host's as an executor. Header alone; C++17.
//   heddle::PoolExecutor executor(pool.size() + 1, [&](auto job) { pool.post(std::move(job)); });
//   status = minilm_run(&model, &args, arena, arena_size, &executor.get());
#ifndef HEDDLE_EXECUTORS_THREADS_HPP
#define HEDDLE_EXECUTORS_THREADS_HPP
#include "heddle/abi.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace heddle {

/// Shares the tasks of a call among the calling thread and jobs that the host's pool is given. What the pool does not
/// get to, the caller does itself: a pool that is busy, or whose own job is the caller, blocks nothing. `Submit` is
/// called from several threads at once with a job, a copyable `void()` that throws nothing, which it may run at any
/// time, late or never; a bool that it returns is false where it did not take the job, as an exception says too.
template <typename Submit> class PoolExecutor {
public:
  /// `threads`: at most so many work at a call, the caller among them. The pool outlives the executor.
  PoolExecutor(size_t threads, Submit submit)
      : submit(std::move(submit)), executor{this, threads ? threads : 1, &PoolExecutor::parallelFor} {}
  PoolExecutor(const PoolExecutor &) = delete;
  PoolExecutor &operator=(const PoolExecutor &) = delete;

  /// Lives as long as this.
  const heddle_executor &get() const { return executor; }

private:
  /// Outlives the call: jobs that come late look into it, and find no task.
  struct Call {
    void (*task)(void *data, size_t i);
    void *data;
    size_t count;
    std::atomic<size_t> next{0}, done{0};
    std::mutex mutex;
    std::condition_variable finished;

    void work() {
      size_t did = 0;
      for (size_t i; (i = next.fetch_add(1)) < count; ++did)
        task(data, i);
      if (did && done.fetch_add(did) + did == count) {
        std::lock_guard<std::mutex> lock(mutex);
        finished.notify_all();
      }
    }
  };

  bool take(const std::shared_ptr<Call> &call) {
    auto job = [call] { call->work(); };
    return attempt([&] {
      if constexpr (std::is_same_v<decltype(submit(job)), bool>)
        return submit(job);
      else
        return submit(job), true;
    });
  }

  /// False where there is an exception, such as for want of memory.
  template <typename Body> static bool attempt(Body body) {
#ifdef __cpp_exceptions
    try {
      return body();
    } catch (...) {
      return false;
    }
#else
    return body();
#endif
  }

  static heddle_status parallelFor(void *self, size_t count, void (*task)(void *data, size_t i), void *data) {
    auto &pool = *static_cast<PoolExecutor *>(self);
    std::shared_ptr<Call> call;
    if (count < 2 || pool.executor.threads < 2 || !attempt([&] { return bool(call = std::make_shared<Call>()); })) {
      for (size_t i = 0; i < count; ++i)
        task(data, i);
      return HEDDLE_OK;
    }
    call->task = task;
    call->data = data;
    call->count = count;
    size_t helpers = (count < pool.executor.threads ? count : pool.executor.threads) - 1;
    for (size_t i = 0; i < helpers && pool.take(call); ++i)
      ;
    call->work();
    std::unique_lock<std::mutex> lock(call->mutex);
    call->finished.wait(lock, [&] { return call->done.load() == count; });
    return HEDDLE_OK;
  }

  Submit submit;
  heddle_executor executor;
};

} // namespace heddle

#endif // HEDDLE_EXECUTORS_THREADS_HPP
