//===- functions_bench.cpp - exp, tanh and erf for each element -----------===//
//
// Compares the code that Heddle generates for these functions, which softmax and
// GELU use, with libm.
//
//===----------------------------------------------------------------------===//

#include "bench_erf.h"
#include "bench_exp.h"
#include "bench_tanh.h"
#include "heddle/model.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

namespace {

constexpr size_t count = 4096; // as in function.mlir.in

/// Returns numbers from -8 (inclusive) to 8 (exclusive) in ascending order.
std::vector<float> numbers() {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i)
    x[i] = -8.0f + 16.0f * i / count;
  return x;
}

/// Measures a library that Heddle compiled from function.mlir.in.
void generated(benchmark::State &state, const heddle_model *model) {
  uint64_t instance[4];
  std::vector<float> x = numbers(), y(count);
  std::vector<char> arena(model->arena_size(nullptr, 1));
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  heddle_status status = model->init(instance, nullptr, nullptr, 0);
  for (auto _ : state) {
    if (status != HEDDLE_OK)
      return state.SkipWithError("the generated function returned an error status");
    status = model->run(instance, nullptr, inputs, outputs, arena.data(), arena.size(), nullptr);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK_CAPTURE(generated, exp, bench_exp_describe());
BENCHMARK_CAPTURE(generated, tanh, bench_tanh_describe());
BENCHMARK_CAPTURE(generated, erf, bench_erf_describe());

/// Measures a function of libm, called once for each element.
void libm(benchmark::State &state, float (*function)(float)) {
  std::vector<float> x = numbers(), y(count);
  for (auto _ : state) {
    for (size_t i = 0; i < count; ++i)
      y[i] = function(x[i]);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK_CAPTURE(libm, exp, std::exp);
BENCHMARK_CAPTURE(libm, tanh, std::tanh);
BENCHMARK_CAPTURE(libm, erf, std::erf);

} // namespace
