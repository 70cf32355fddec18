//===- runtime_bench.cpp - overhead of the thread pool --------------------===//

#include "heddle/executor.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

namespace {

void empty(void *, size_t) {}

/// Measures one parallel_for with empty tasks: distributing, running and waiting for them.
void forkJoin(benchmark::State &state) {
  heddle_executor *pool = heddle_executor_create(state.range(0));
  const size_t tasks = state.range(1);
  for (auto _ : state)
    pool->parallel_for(pool->self, tasks, empty, nullptr);
  state.SetItemsProcessed(state.iterations() * tasks);
  heddle_executor_destroy(pool);
}
BENCHMARK(forkJoin)
    ->ArgNames({"threads", "tasks"})
    ->ArgsProduct({{1, 2}, {1, 2, 64}})
    ->UseRealTime();

/// Measures one parallel_for after a pause in which the workers went to sleep.
void forkJoinAfterPause(benchmark::State &state) {
  heddle_executor *pool = heddle_executor_create(2);
  for (auto _ : state) {
    state.PauseTiming();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    state.ResumeTiming();
    pool->parallel_for(pool->self, 2, empty, nullptr);
  }
  heddle_executor_destroy(pool);
}
BENCHMARK(forkJoinAfterPause)->UseRealTime()->Iterations(200);

} // namespace
