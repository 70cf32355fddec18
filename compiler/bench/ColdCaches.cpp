//===- ColdCaches.cpp - evicts the data of a model from caches ------------===//

#include "ColdCaches.h"

#include "heddle/Memory.h"

#include <atomic>
#include <cstring>
#include <immintrin.h>

using namespace heddle::bench;

static constexpr size_t line = 64;

llvm::Expected<ColdCaches> ColdCaches::create(size_t bytes, const heddle_executor *executor) {
  size_t whole = llvm::alignTo(bytes, line);
  if (llvm::Error error = checkMemory("making caches cold", whole))
    return std::move(error);
  auto *memory = static_cast<char *>(std::aligned_alloc(line, whole));
  if (!memory)
    return llvm::createStringError("making caches cold: no memory for %zu bytes", bytes);
  // Write to the memory: until a page is written, the system may map it to one shared page of zeros.
  std::memset(memory, 1, whole);
  return ColdCaches(memory, whole, executor);
}

namespace {
struct Task {
  const volatile char *memory;
  size_t bytes, threads;
  std::atomic<size_t> arrived{0};

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
