//===- Measure.h - many things timed in turns -------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_MEASURE_H
#define HEDDLE_BENCH_MEASURE_H

#include "Statistics.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::bench {

struct Timing {
  /// Seconds: before anything is measured, and measured in all, for each subject.
  double warmup = 0.2, duration = 3;
  unsigned repetitions = 9;
};

/// One repetition as Google Benchmark counted it.
struct Repetition {
  int64_t iterations = 0;
  double realSeconds = 0, cpuSeconds = 0; // of one call
  double wallSeconds = 0;                 // of all its calls: what callers at once are divided by
};

/// What is timed, and then how long it took.
struct Subject {
  std::string name;
  /// One call, by caller number `caller` of `callers` at once.
  std::function<void(size_t caller)> call;
  /// Comes before each call, and takes no part in its time. Such calls are timed one by one, by one caller.
  std::function<void()> prepare;
  size_t callers = 1;
  /// Overrides Timing's duration if positive.
  double duration = 0;

  std::vector<Repetition> repetitions;
  /// Seconds of a call, by repetition. A sample is the average of as many calls as fill some
  /// microseconds, so that reading the clock does not count.
  std::vector<std::vector<double>> samples;

  Summary summary() const { return summarize(samples); }
};

/// Times all subjects in one run: repetitions of different subjects alternate in random order.
/// `progress` is told how much is done, from 0 to 1.
void measure(llvm::MutableArrayRef<Subject> subjects, const Timing &timing,
             const std::function<void(double)> &progress = {});

/// Seconds on a steady clock.
double now();

} // namespace heddle::bench

#endif // HEDDLE_BENCH_MEASURE_H
