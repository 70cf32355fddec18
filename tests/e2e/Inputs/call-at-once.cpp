// Calls libraries with sizes in ranges from several threads concurrently, with different sizes. Each caller uses an
// executor of its own and then an executor that all callers share. All calls with the same sizes must return the same
// bits. The macro MODELS lists the names of the linked libraries. The first argument is a file with weights for the
// libraries that need them. With a second argument, all callers write to one set of outputs; this is a data race, which
// a sanitizer must report.
#include "heddle/executor.h"
#include "heddle/model.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#define DECLARE(name) extern "C" const heddle_model *name##_describe();
#define DESCRIBE(name) name##_describe,
MODELS(DECLARE)
static const heddle_model *(*const models[])() = {MODELS(DESCRIBE)};

using Buffer = std::vector<char>;
static constexpr size_t callers = 3;

/// An executor that distributes tasks evenly over new threads. The threads begin at the same time and do not
/// synchronize with each other, so that a sanitizer detects races between tasks. `calls` counts the calls with several
/// tasks.
struct Spread : heddle_executor {
  explicit Spread(size_t threads) : heddle_executor{this, threads, run}, calls(0) {}

  static heddle_status run(void *self, size_t count, void (*task)(void *, size_t), void *data) {
    auto &spread = *static_cast<Spread *>(self);
    spread.calls += count > 1;
    std::vector<std::thread> workers;
    std::atomic<size_t> ready{0};
    size_t used = std::min(count, spread.threads);
    for (size_t first = 0; first < used; ++first)
      workers.emplace_back([=, &ready] {
        for (++ready; ready < used;)
          std::this_thread::yield();
        for (size_t i = first; i < count; i += used)
          task(data, i);
      });
    for (std::thread &worker : workers)
      worker.join();
    return HEDDLE_OK;
  }

  size_t calls;
};

/// Prints the message `what` and exits with status 1 unless `ok` is true.
static void check(bool ok, const heddle_model *model, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "%s: %s\n", model->name, what);
  exit(1);
}

/// Returns the upper bound of size i. The elements of model->sizes are size_stride bytes apart, because a library may
/// have been compiled with another version of heddle_size.
static int64_t getHigh(const heddle_model *model, uint64_t i) {
  auto *bytes = reinterpret_cast<const char *>(model->sizes) + i * model->size_stride;
  return reinterpret_cast<const heddle_size *>(bytes)->high;
}

/// Returns zeros in the number of bytes that the tensor has at these sizes.
static Buffer makeBuffer(const heddle_model *model, const heddle_tensor &tensor, const std::vector<size_t> &sizes) {
  size_t bytes = heddle_type_size(tensor.type);
  for (uint32_t d = 0; d < tensor.rank; ++d)
    bytes *= heddle_extent(model, &tensor, d, sizes.data());
  return Buffer(bytes);
}

/// Makes inputs that depend only on the sizes. Integers are in the range that is allowed at all sizes.
static Buffer makeInput(const heddle_model *model, const heddle_tensor &tensor, const std::vector<size_t> &sizes) {
  Buffer buffer = makeBuffer(model, tensor, sizes);
  uint32_t random = 1;
  for (size_t at = 0, each = heddle_type_size(tensor.type); at < buffer.size(); at += each) {
    random = random * 1664525 + 1013904223;
    float real = float(int32_t(random)) / 2e9f;
    int64_t whole = std::min<int64_t>(tensor.flags & HEDDLE_RANGE ? tensor.high : 1,
                                      random >> 16 & (tensor.type == HEDDLE_BOOL ? 1 : sizes.back()));
    memcpy(&buffer[at], tensor.type == HEDDLE_F32 ? static_cast<void *>(&real) : &whole, each);
  }
  return buffer;
}

static std::vector<Buffer> makeOutputs(const heddle_model *model, const std::vector<size_t> &sizes) {
  std::vector<Buffer> out;
  for (uint64_t i = 0; i < model->output_count; ++i)
    out.push_back(makeBuffer(model, model->outputs[i], sizes));
  return out;
}

/// Calls the model; `state` is the initialised model. The outputs are written to `out`.
static void call(const heddle_model *model, const void *state, const std::vector<size_t> &sizes,
                 const heddle_executor *executor, Buffer &arena, std::vector<Buffer> &out) {
  std::vector<Buffer> in;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  for (uint64_t i = 0; i < model->input_count; ++i)
    in.push_back(makeInput(model, model->inputs[i], sizes));
  for (Buffer &buffer : in)
    inputs.push_back(buffer.data());
  for (Buffer &buffer : out)
    outputs.push_back(buffer.data());
  int status = model->run(state, sizes.data(), inputs.data(), outputs.data(), arena.data(), arena.size(), executor);
  check(status == HEDDLE_OK, model, heddle_status_text(status));
}

int main(int argc, char **argv) {
  bool oneSet = argc > 2;
  std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
  Buffer weights((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  heddle_executor *shared = heddle_executor_create(callers);
  for (auto describe : models) {
    const heddle_model *model = describe();
    uint64_t state[4];
    check(weights.size() >= model->weights_size, model, "needs more weights than the given file contains");
    int status = model->init(state, nullptr, model->weights_size ? weights.data() : nullptr, model->weights_size);
    check(status == HEDDLE_OK, model, heddle_status_text(status));
    std::vector<std::vector<size_t>> points;
    for (size_t odd : {1, 2, 3, 7, 15, 16, 17, 31, 33, 65, 77, 701})
      if (int64_t(odd) <= getHigh(model, model->size_count - 1)) { // each size is min(odd, its upper bound)
        points.emplace_back();
        for (uint64_t i = 0; i < model->size_count; ++i)
          points.back().push_back(std::min<size_t>(getHigh(model, i), odd));
      }
    size_t needed = model->arena_size(points.back().data(), callers);
    std::vector<Buffer> common = makeOutputs(model, points.back());
    std::map<size_t, std::vector<Buffer>> results[callers]; // the outputs for each index into `points`
    std::vector<std::thread> threads;
    for (size_t caller = 0; caller < callers; ++caller)
      threads.emplace_back([&, caller] {
        Spread spread(2);
        Buffer arena(needed);
        for (heddle_executor *executor : {static_cast<heddle_executor *>(&spread), shared})
          for (size_t i = 0; i < points.size(); ++i) {
            size_t point = (i * (caller + 1) + caller) % points.size();
            std::vector<Buffer> own = makeOutputs(model, points[point]), &out = oneSet ? common : own;
            call(model, state, points[point], executor, arena, out);
            auto [before, isFirst] = results[caller].emplace(point, own);
            check(isFirst || before->second == own, model, "another executor gives other bits");
          }
        check(spread.calls > 0, model, "runs all tasks on one thread");
      });
    for (std::thread &thread : threads)
      thread.join();
    for (auto &other : results)
      for (auto &[point, result] : other)
        check(results[0][point] == result, model, "callers get other bits");
  }
  heddle_executor_destroy(shared);
  puts("no difference");
}
