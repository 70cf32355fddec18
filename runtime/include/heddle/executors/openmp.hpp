// openmp.hpp - an executor that uses the threads of OpenMP. Header only; C++17, compiled with -fopenmp.
//   const heddle_executor executor = heddle::openmpExecutor();
//   status = minilm_run(&model, &args, arena, arena_size, &executor);
#ifndef HEDDLE_EXECUTORS_OPENMP_HPP
#define HEDDLE_EXECUTORS_OPENMP_HPP
#ifndef _OPENMP
#error "heddle/executors/openmp.hpp is for programs that are compiled with -fopenmp"
#endif
#include "heddle/abi.h"

#include <omp.h>

namespace heddle {

/// Returns an executor with `threads` threads; 0: as many as a parallel region would have now (omp_get_max_threads).
/// Inside a parallel region the calling thread runs all tasks, unless the program enables nested parallelism.
inline heddle_executor openmpExecutor(int threads = 0) {
  heddle_executor executor;
  threads = threads > 0 ? threads : omp_get_max_threads();
  executor.self = reinterpret_cast<void *>(intptr_t(threads));
  executor.threads = size_t(threads);
  executor.parallel_for = [](void *self, size_t count, void (*task)(void *data, size_t i), void *data) {
    const size_t most = size_t(reinterpret_cast<intptr_t>(self));
#pragma omp parallel for schedule(dynamic, 1) num_threads(int(count < 1 ? 1 : count < most ? count : most))
    for (size_t i = 0; i < count; ++i)
      task(data, i);
    return HEDDLE_OK;
  };
  return executor;
}

} // namespace heddle

#endif // HEDDLE_EXECUTORS_OPENMP_HPP
