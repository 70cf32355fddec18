//===- Callers.h - checks that threads can start ----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CALLERS_H
#define HEDDLE_BENCH_CALLERS_H

#include <cstddef>

namespace heddle::bench {

/// Returns whether `count` threads can run in addition to the calling thread: starts them and ends them again. On
/// failure, prints the reason. `heddle bench --callers` needs this check, because Google Benchmark, which starts the
/// threads that call the model, does not report that a thread could not start.
bool canStartThreads(size_t count);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CALLERS_H
