//===- Callers.h - checks that threads can start ----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CALLERS_H
#define HEDDLE_BENCH_CALLERS_H

#include <cstddef>

namespace heddle::bench {

/// Returns whether `count` further threads can run beside this one. The function starts them and ends them. This check
/// is needed because Google Benchmark, which starts the caller threads, does not report that a thread did not start.
/// Prints the reason on failure.
bool canStartThreads(size_t count);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CALLERS_H
