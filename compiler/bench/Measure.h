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
  /// Seconds for each subject: before anything is measured, and in all repetitions.
  double warmup = 0.2, duration = 3;
  /// At most: no more of a subject than fit into the duration, but one.
  unsigned repetitions = 9;
};

/// One repetition.
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
  /// Overrides Timing's duration if positive; the warm-up is shorter in proportion.
  double duration = 0;

  std::vector<Repetition> repetitions;
  /// Seconds of a call, by repetition: each is of the round that has its number. A sample is the average of as many calls as fill some
  /// microseconds, so that reading the clock does not count.
  std::vector<std::vector<double>> samples;

  Summary summary() const { return summarize(samples); }
  /// The median of a call; of callers at once, what a call takes them together.
  Rounds rounds() const;
};

/// Times all subjects in one run: in each round, each has one repetition, in random order.
/// `progress` is told how much is done, from 0 to 1.
void measure(llvm::MutableArrayRef<Subject> subjects, const Timing &timing,
             const std::function<void(double)> &progress = {});

/// Seconds on a steady clock.
double now();

} // namespace heddle::bench

#endif // HEDDLE_BENCH_MEASURE_H
