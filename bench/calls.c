/* calls.c - calls a model in a loop in C, because a call from Python can take longer than a small model. */
#include "heddle/model.h"

typedef enum heddle_status (*run_function)(const void *, const size_t *, const void *const *, void *const *, void *, size_t,
                                           const struct heddle_executor *);

/* Calls `run` n times with the same arguments, which are those of heddle_model.run in heddle/model.h. Stops at the
 * first failure and returns its status. */
enum heddle_status heddle_bench_calls(size_t n, run_function run, const void *model, const size_t *sizes,
                                      const void *const *inputs, void *const *outputs, void *arena, size_t arena_size,
                                      const struct heddle_executor *executor) {
  for (size_t i = 0; i < n; ++i) {
    enum heddle_status status = run(model, sizes, inputs, outputs, arena, arena_size, executor);
    if (status)
      return status;
  }
  return HEDDLE_OK;
}
