//===- Callers.h - check that threads can start -----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CALLERS_H
#define HEDDLE_BENCH_CALLERS_H

#include <cstddef>

namespace heddle::bench {

/// Whether `count` more threads can run beside this one: starts and ends them. Google Benchmark, which starts the
/// caller threads, cannot report that a thread did not start. Prints the reason if it fails.
bool canStartThreads(size_t count);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CALLERS_H
