//===- ColdCaches.cpp - evicts the data of a model from caches ------------===//

#include "ColdCaches.h"

#include "heddle/Memory.h"

#include <atomic>
#include <cstring>
#include <immintrin.h>

using namespace heddle::bench;

static constexpr size_t line = 64; // the size of a cache line in bytes

llvm::Expected<ColdCaches> ColdCaches::create(size_t bytes, const heddle_executor *executor) {
  size_t whole = llvm::alignTo(bytes, line);
  if (llvm::Error error = checkMemory("making caches cold", whole))
    return std::move(error);
  auto *memory = static_cast<char *>(std::aligned_alloc(line, whole));
  if (!memory)
    return llvm::createStringError("cannot allocate the %zu bytes that each thread reads to make caches cold", bytes);
  // Write to the memory. Until a page is written, the system may map it to one shared page of zeros. This page fits
  // into the caches, so reading the block would evict nothing.
  std::memset(memory, 1, whole);
  return ColdCaches(memory, whole, executor);
}

namespace {
/// The data that all threads of one call of touch() share.
struct Task {
  const volatile char *memory; // volatile, so that the compiler does not remove the reads
  size_t bytes, threads;
  std::atomic<size_t> arrived{0}; // the number of threads that have started

  static void run(void *data, size_t) {
    Task &task = *static_cast<Task *>(data);
    // All threads wait until all of them have started. Otherwise, a thread could finish its task and run a second one
    // before another thread wakes up, whose caches would then stay warm.
    task.arrived.fetch_add(1);
    while (task.arrived.load() < task.threads)
      _mm_pause();
    for (size_t i = 0; i < task.bytes; i += line)
      (void)task.memory[i];
  }
};
} // namespace

void ColdCaches::touch() const {
  Task task{memory.get(), bytes, executor ? executor->threads : 1};
  if (executor)
    executor->parallel_for(executor->self, task.threads, Task::run, &task);
  else
    Task::run(&task, 0);
}
