//===- executor.cpp - a pool of pinned threads ----------------------------===//
//
// One word, the ticket, contains the number of the current call, its number of tasks, and the index of the next task. A
// thread owns task i after it has advanced the index from i to i + 1 by compare-and-swap. Therefore a worker that wakes
// late can neither run a task twice nor take a task of a call that has ended. `task` and `data` change only when no
// thread runs a task.
//
// A fork copies the pool without its workers. The child detects this by a counter that each fork increments: its first
// call finds that the counter has changed since the workers were started, and starts new ones.
//
//===----------------------------------------------------------------------===//

#include "heddle/executor.h"

#include "cores.h"

#include <atomic>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <utility>

namespace {

constexpr size_t maxThreads = 1024;
// A ticket has this number of bits for the number of tasks, and as many for the index of the next task.
constexpr unsigned fieldBits = 24;
constexpr uint64_t fieldMask = (uint64_t(1) << fieldBits) - 1;
constexpr int spinsBeforeSleep = 20000; // about 50 us; waking a thread takes about as long
constexpr int spinsBeforeYield = 4000;
constexpr unsigned restarting = ~0u; // a value of Pool::process

// Pins a thread to a logical CPU. If this fails, the scheduler places the thread.
void pin(pthread_t thread, int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  pthread_setaffinity_np(thread, sizeof mask, &mask);
}

void pause() {
#if defined __x86_64__
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

// The number of forks between the process that loaded this code and this process.
std::atomic<unsigned> forks{0};
// Registers a handler that increments the counter at each fork. Returns false if this fails: in the child of a fork, a
// pool would then wait for workers that exist only in the parent.
bool countForks() {
  static const bool counts = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); }) == 0;
  return counts;
}

uint64_t makeTicket(uint64_t call, uint64_t count) { return call << (2 * fieldBits) | count << fieldBits; }
uint64_t nextTask(uint64_t ticket) { return ticket & fieldMask; }
uint64_t taskCount(uint64_t ticket) { return ticket >> fieldBits & fieldMask; }

struct Place {
  int cpu = -1, core = -1; // a logical CPU, and its core according to coreOf()
};

struct Pool {
  heddle_executor executor;
  // The work of the current call; constant while the ticket has tasks left or some are running.
  void (*task)(void *, size_t) = nullptr;
  void *data = nullptr;
  // The index that task 0 of the ticket has in the call of parallelFor(). A call with more than fieldMask tasks stores
  // several tickets, one after another.
  size_t first = 0;
  uint64_t call = 0; // how often run() was called
  alignas(64) std::atomic<uint64_t> ticket{0};
  alignas(64) std::atomic<uint64_t> done{0};    // the number of tasks of the ticket that have ended
  alignas(64) std::atomic<bool> busy{false};    // whether parallelFor() uses the workers
  std::atomic<bool> stop{false};                // set when the workers must return
  std::atomic<unsigned> sleepers{0};            // the number of workers that wait for `wake`
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
  // The value of `forks` when the workers were started; `restarting` while a thread starts new workers.
  std::atomic<unsigned> process{0};
  size_t workers = 0; // the number of elements of `threads` and `places` that are used
  pthread_t threads[maxThreads];
  Place places[maxThreads]; // the CPUs that the workers are pinned to; {-1, -1} if they are not pinned
  Place free;               // a core without a worker; {-1, -1} if the workers are not pinned
  int callerCpu = -1;       // the CPU of the caller in the last call
  short coreOf[CPU_SETSIZE]; // heddle::coreOf() of each CPU, stored because that function reads a file

  bool hasWork() const {
    // The load is sequentially consistent: either a worker that goes to sleep sees the new ticket here, or the thread
    // that stored the ticket sees the worker in `sleepers`.
    uint64_t now = ticket.load();
    return nextTask(now) < taskCount(now);
  }

  // Runs tasks of the current call until all tasks are taken.
  void drain() {
    uint64_t now = ticket.load(std::memory_order_acquire);
    while (nextTask(now) < taskCount(now)) {
      if (!ticket.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel))
        continue;
      task(data, first + nextTask(now));
      done.fetch_add(1, std::memory_order_release);
      now = ticket.load(std::memory_order_acquire);
    }
  }

  // The main loop of a worker. If a task of the worker forks, the worker is the only thread of the child; it runs the
  // tasks that are left and returns.
  void work() {
    const unsigned mine = forks.load();
    while (!stop.load(std::memory_order_acquire)) {
      drain();
      if (forks.load(std::memory_order_relaxed) != mine)
        return;
      int spins = 0;
      while (!hasWork() && spins < spinsBeforeSleep && !stop.load(std::memory_order_relaxed)) {
        pause();
        ++spins;
      }
      if (hasWork())
        continue;
      pthread_mutex_lock(&mutex);
      sleepers.fetch_add(1);
      while (!hasWork() && !stop.load())
        pthread_cond_wait(&wake, &mutex);
      sleepers.fetch_sub(1);
      pthread_mutex_unlock(&mutex);
    }
  }

  // If a worker is pinned to the caller's core, the two threads delay each other until the scheduler moves the caller,
  // which takes some milliseconds. Therefore the worker moves to the free core.
  void leaveCallersCore() {
    int cpu = sched_getcpu();
    if (free.cpu < 0 || cpu == callerCpu)
      return;
    callerCpu = cpu;
    int core = cpu < CPU_SETSIZE ? coreOf[cpu] : cpu;
    for (size_t i = 0; i < workers; ++i)
      if (places[i].core == core) {
        std::swap(places[i], free);
        pin(threads[i], places[i].cpu);
        return;
      }
  }

  void wakeSleepers() {
    if (!sleepers.load()) // sequentially consistent with the preceding store of the ticket
      return;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&mutex);
  }

  // Runs `count` tasks, at most fieldMask. Returns false in the child of a fork that a task of the caller made while
  // workers were running other tasks.
  bool run(size_t count) {
    const unsigned mine = forks.load(std::memory_order_relaxed);
    done.store(0, std::memory_order_relaxed);
    ticket.store(makeTicket(++call, count));
    wakeSleepers();
    drain();
    for (int spins = 0; done.load(std::memory_order_acquire) < count; ++spins) {
      if (forks.load(std::memory_order_relaxed) != mine)
        return false;
      spins < spinsBeforeYield ? pause() : static_cast<void>(sched_yield());
    }
    return true;
  }

  void startWorkers(size_t threads);
  bool isOfThisProcess();
};

void *workerMain(void *self) {
  static_cast<Pool *>(self)->work();
  return nullptr;
}

// Starts `threads` - 1 workers, or fewer if the system starts no more.
void Pool::startWorkers(size_t threads) {
  int cores[CPU_SETSIZE];
  size_t coreCount = heddle::physicalCores(cores, CPU_SETSIZE);
  heddle::coresOfCpus(coreOf, CPU_SETSIZE);
  auto place = [&](size_t i) { return Place{cores[i], coreOf[cores[i]]}; };
  int here = heddle::coreOf(sched_getcpu());
  size_t mine = 0;
  for (size_t i = 0; i < coreCount; ++i)
    if (place(i).core == here)
      mine = i;
  // The workers block all signals: the host's own threads should handle them.
  sigset_t all, before;
  sigfillset(&all);
  bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  for (size_t i = 1; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, workerMain, this) != 0)
      break;
    if (threads <= coreCount) { // if there are more threads than cores, the scheduler distributes them
      places[workers] = place((mine + i) % coreCount); // the cores after the caller's, in turn
      free = place(mine);
      pin(thread, places[workers].cpu);
    }
    this->threads[workers++] = thread;
  }
  if (masked)
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Returns whether this process has the pool's workers. After a fork, starts new workers first. Returns false while
// another thread starts them.
bool Pool::isOfThisProcess() {
  unsigned was = process.load(std::memory_order_acquire), now = forks.load(std::memory_order_relaxed);
  if (was == now)
    return true;
  if (was == restarting || !process.compare_exchange_strong(was, restarting))
    return false;
  // No other thread of this process can hold the mutex or wait: the workers exist only in the parent.
  mutex = PTHREAD_MUTEX_INITIALIZER;
  wake = PTHREAD_COND_INITIALIZER;
  ticket.store(0);
  busy.store(false);
  sleepers.store(0);
  workers = 0;
  callerCpu = -1;
  free = {};
  startWorkers(executor.threads);
  process.store(now, std::memory_order_release);
  return true;
}

// Implements heddle_executor::parallel_for. The calling thread runs all tasks itself if there is at most one task, if
// there are no workers, or if another call uses or starts them.
heddle_status parallelFor(void *self, size_t count, void (*task)(void *, size_t), void *data) {
  Pool &pool = *static_cast<Pool *>(self);
  bool idle = false;
  if (count < 2 || !pool.isOfThisProcess() || !pool.workers || !pool.busy.compare_exchange_strong(idle, true)) {
    for (size_t i = 0; i < count; ++i)
      task(data, i);
    return HEDDLE_OK;
  }
  pool.leaveCallersCore();
  pool.task = task;
  pool.data = data;
  for (pool.first = 0; pool.first < count; pool.first += fieldMask)
    if (!pool.run(count - pool.first < fieldMask ? count - pool.first : fieldMask))
      return HEDDLE_EXECUTOR_FAILED;
  pool.busy.store(false, std::memory_order_release);
  return HEDDLE_OK;
}

} // namespace

extern "C" heddle_executor *heddle_executor_create(size_t threads) {
  if (!threads)
    threads = heddle_physical_cores();
  threads = threads < maxThreads ? threads : maxThreads;
  Pool *pool = countForks() ? new (std::nothrow) Pool : nullptr;
  if (!pool)
    return nullptr;
  pool->process.store(forks.load());
  pool->startWorkers(threads);
  if (threads > 1 && !pool->workers) {
    delete pool;
    return nullptr;
  }
  pool->executor = {pool, pool->workers + 1, parallelFor};
  return &pool->executor;
}

extern "C" void heddle_executor_destroy(heddle_executor *executor) {
  if (!executor)
    return;
  Pool *pool = static_cast<Pool *>(executor->self);
  if (pool->process.load() != forks.load()) { // the workers exist only in the parent
    delete pool;
    return;
  }
  pthread_mutex_lock(&pool->mutex);
  pool->stop.store(true);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  for (size_t i = 0; i < pool->workers; ++i)
    pthread_join(pool->threads[i], nullptr);
  delete pool;
}
