// threads.hpp - an executor that uses any thread pool of the host program. Header only; C++17.
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

/// Shares the tasks of a call among the calling thread and jobs that are submitted to a thread pool of the host
/// program. The calling thread runs every task that no job has taken, so a busy pool, or a call from within one of its
/// jobs, cannot block the call. The executor may call `submit` from several threads at once. The argument is a job, a
/// copyable `void()` that does not throw; the pool may run the job at any time, late or never. If `submit` returns a
/// bool, false means that the pool did not take the job; an exception means the same.
template <typename Submit> class PoolExecutor {
public:
  /// `threads` is the maximum number of threads that work on a call, including the caller. The pool must outlive the
  /// executor.
  PoolExecutor(size_t threads, Submit submit)
      : submit(std::move(submit)), executor{this, threads ? threads : 1, &PoolExecutor::parallelFor} {}
  PoolExecutor(const PoolExecutor &) = delete;
  PoolExecutor &operator=(const PoolExecutor &) = delete;

  /// The C struct; valid as long as this object.
  const heddle_executor &get() const { return executor; }

private:
  /// The state of a call. The jobs share it, because a job may run after the call has returned; such a job finds no
  /// task.
  struct Call {
    void (*task)(void *data, size_t i);
    void *data;
    size_t count;
    std::atomic<size_t> next{0}, done{0}; // the index of the next task, and the number of tasks that have ended
    std::mutex mutex;
    std::condition_variable finished;

    /// Runs tasks until none is left.
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

  /// Submits a job that runs tasks of the call. Returns whether the pool took the job.
  bool take(const std::shared_ptr<Call> &call) {
    auto job = [call] { call->work(); };
    return attempt([&] {
      if constexpr (std::is_same_v<decltype(submit(job)), bool>)
        return submit(job);
      else
        return submit(job), true;
    });
  }

  /// Calls `body` and returns its result; false if it throws, for example because there is not enough memory.
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
