// Calls a causal attention operation from C++, on two threads of the program itself, and compares the result with the
// definition of attention. run.sh builds the program.
#include "causal_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

constexpr size_t heads = 8, length = 200, size = 64; // the sizes for which run.sh compiles the kernel

using Vector = std::vector<float>;

// Runs the tasks 0 to count - 1 of a call: task 0 on the calling thread, and each of the others on a new thread. A real
// program would run them on a thread pool instead of starting new threads.
static heddle_status parallelFor(void *, size_t count, void (*task)(void *data, size_t i), void *data) {
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(task, data, i);
  if (count)
    task(data, 0);
  for (std::thread &thread : threads)
    thread.join();
  return HEDDLE_OK;
}

// Returns normally distributed elements for a query, key or value.
static Vector random(unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Vector values(heads * length * size);
  std::generate(values.begin(), values.end(), [&] { return normal(generator); });
  return values;
}

// Returns the largest difference of `result` from softmax(query key^T / sqrt(size)) value, where query i attends to the
// keys j <= i.
static double errorOf(const Vector &query, const Vector &key, const Vector &value, const Vector &result) {
  double worst = 0;
  for (size_t head = 0; head < heads; ++head)
    for (size_t i = 0; i < length; ++i) {
      const size_t row = (head * length + i) * size;
      std::vector<double> weights(i + 1), expected(size);
      double sum = 0;
      for (size_t j = 0; j <= i; ++j) {
        double score = 0;
        for (size_t d = 0; d < size; ++d)
          score += double(query[row + d]) * key[(head * length + j) * size + d];
        sum += weights[j] = std::exp(score / std::sqrt(double(size)));
      }
      for (size_t j = 0; j <= i; ++j)
        for (size_t d = 0; d < size; ++d)
          expected[d] += weights[j] / sum * value[(head * length + j) * size + d];
      for (size_t d = 0; d < size; ++d) {
        double error = std::abs(expected[d] - result[row + d]);
        worst = std::isnan(worst) || error <= worst ? worst : error; // keeps a NaN
      }
    }
  return worst;
}

int main() {
  const Vector query = random(1), key = random(2), value = random(3);
  Vector result(query.size());
  // The members are the first argument of parallelFor, the number of threads, and the function that runs tasks.
  const heddle_executor executor = {nullptr, 2, parallelFor};
  std::vector<unsigned char> arena(causal_attention_arena_size(executor.threads));
  heddle_status status = causal_attention_init();
  if (status == HEDDLE_OK)
    status = causal_attention(query.data(), key.data(), value.data(), result.data(), arena.data(), arena.size(),
                              &executor);
  if (status != HEDDLE_OK) {
    std::fprintf(stderr, "%s\n", causal_attention_status_text(status));
    return 1;
  }
  const double error = errorOf(query, key, value, result);
  std::printf("attention of %zu heads over %zu positions, max error %.1e\n", heads, length, error);
  return error <= 1e-5 ? 0 : 1;
}
