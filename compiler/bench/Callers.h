//===- Callers.h - threads that call at once --------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CALLERS_H
#define HEDDLE_BENCH_CALLERS_H

#include <cstddef>

namespace heddle::bench {

/// Whether so many threads can run beside this one: they are started and ended again. Google Benchmark, which starts
/// the callers, has no way to say that it cannot. What prevents it is printed.
bool canStartThreads(size_t count);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CALLERS_H
