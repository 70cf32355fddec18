//===- threads_test.cpp - a pool of std::threads as an executor -----------===//

#include "ExecutorCheck.h"

#include "heddle/executors/threads.hpp"

#include <deque>
#include <functional>
#include <new>

namespace {

/// A minimal thread pool, in place of the pool of a host program.
class Pool {
public:
  explicit Pool(size_t count) {
    for (size_t i = 0; i < count; ++i)
      threads.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }
  void post(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      jobs.push_back(std::move(job));
    }
    wake.notify_one();
  }

private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stop || !jobs.empty(); });
      if (jobs.empty())
        return;
      std::function<void()> job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> jobs;
  std::vector<std::thread> threads;
  bool stop = false;
};

TEST(PoolExecutor, IsAnExecutor) {
  Pool pool(2);
  heddle::PoolExecutor executor(3, [&](auto job) { pool.post(job); });
  EXPECT_EQ(executor.get().threads, 3u);
  runsEveryTaskOnce(executor.get());
  keepsShortCallsApart(executor.get());
  takesCallersAtOnceAndCallsInTasks(executor.get());
  runsTasksAtOnce(executor.get());
}

/// The only thread of the pool is busy during all calls, so the caller must run all tasks itself.
TEST(PoolExecutor, IsNotBlockedByABusyPool) {
  std::atomic<bool> release{false};
  Pool pool(1);
  pool.post([&] {
    while (!release)
      std::this_thread::yield();
  });
  {
    heddle::PoolExecutor executor(2, [&](auto job) { pool.post(job); });
    runsEveryTaskOnce(executor.get());
    keepsShortCallsApart(executor.get());
  }
  release = true; // the jobs start only after their executor was destroyed
}

/// The only thread of the pool is the caller, so no other thread can run the jobs of the executor.
TEST(PoolExecutor, CallsFromAJobOfThePool) {
  std::atomic<bool> done{false};
  Pool pool(1);
  heddle::PoolExecutor executor(2, [&](auto job) { pool.post(job); });
  pool.post([&] {
    runsEveryTaskOnce(executor.get());
    done = true;
  });
  while (!done)
    std::this_thread::yield();
}

/// The pool refuses a job if the function that submits it returns false or throws. An executor with one thread submits
/// no jobs.
TEST(PoolExecutor, RunsTasksItselfIfThePoolRefuses) {
  std::atomic<int> asked{0};
  heddle::PoolExecutor refuses(4, [&](auto) { return ++asked, false; });
  Tasks tasks(9);
  EXPECT_EQ(refuses.get().parallel_for(refuses.get().self, 9, Tasks::run, &tasks), HEDDLE_OK);
  tasks.expect(1);
  EXPECT_EQ(asked, 1); // after a refusal, no further job is submitted
  heddle::PoolExecutor throws(4, [&](auto) { throw std::bad_alloc(); });
  runsEveryTaskOnce(throws.get());
  heddle::PoolExecutor alone(1, [&](auto) { ADD_FAILURE() << "there is no other thread"; });
  runsEveryTaskOnce(alone.get());
}

} // namespace
