//===- attention_bench.cpp - an attention called through its C header -----===//

#include "causal_attention.h"
#include "heddle/executor.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

// Numbers of heads, of tokens, and of elements in a head of the attention that CMakeLists.txt compiles.
constexpr size_t heads = 12, length = 512, size = 64;

void causalAttention(benchmark::State &state) {
  const size_t threads = state.range(0);
  std::vector<float> query(heads * length * size, 0.1f), key = query, value = query, result = query;
  std::vector<char> arena(causal_attention_arena_size(threads));
  heddle_executor *pool = heddle_executor_create(threads);
  heddle_status status = causal_attention_init();
  for (auto _ : state) {
    if (status != HEDDLE_OK) {
      state.SkipWithError(causal_attention_status_text(status));
      break;
    }
    status = causal_attention(query.data(), key.data(), value.data(), result.data(), arena.data(), arena.size(), pool);
  }
  heddle_executor_destroy(pool);
  // Both products (of queries with keys, and of probabilities with values) use the keys up to the query's position.
  const double operations = 4.0 * heads * size * length * (length + 1) / 2;
  state.counters["FLOP/s"] = benchmark::Counter(operations * state.iterations(), benchmark::Counter::kIsRate);
}
BENCHMARK(causalAttention)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

} // namespace
