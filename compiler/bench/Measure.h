//===- Measure.h - interleaved timing of subjects ---------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_MEASURE_H
#define HEDDLE_BENCH_MEASURE_H

#include "Statistics.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::bench {

struct Timing {
  /// Seconds for each subject: of the warm-up, and of all repetitions together.
  double warmup = 0.2, duration = 3;
  /// The maximum number of repetitions; fewer if they do not fit into the duration, but at least one.
  unsigned repetitions = 9;
};

/// The times of one repetition.
struct Repetition {
  int64_t iterations = 0;
  double realSeconds = 0, cpuSeconds = 0; // of one call
  double wallSeconds = 0;                 // of all its calls; the throughput of concurrent callers is based on it
};

/// A function to time, and its times.
struct Subject {
  std::string name;
  /// Makes one call; `caller` is the number of the calling thread below `callers`.
  std::function<void(size_t caller)> call;
  /// If set, runs before each call and is not timed. Calls are then timed one by one, by a single caller.
  std::function<void()> prepare;
  size_t callers = 1;
  /// If positive, overrides Timing's duration; the warm-up is shortened in proportion.
  double duration = 0;

  std::vector<Repetition> repetitions;
  /// Seconds of a call, by repetition; repetition i belongs to round i. A sample is the average over as many calls as
  /// fill some microseconds, so that the time of reading the clock does not count.
  std::vector<std::vector<double>> samples;

  Summary summary() const { return summarize(samples); }
  /// The medians of calls by round; for concurrent callers, the time for each call of all of them together.
  Rounds rounds() const;
};

/// Times all subjects in one run: in each round each subject has one repetition, in random order. `progress` is called
/// with the completed fraction, from 0 to 1.
void measure(llvm::MutableArrayRef<Subject> subjects, const Timing &timing,
             const std::function<void(double)> &progress = {});

/// The seconds of a monotonic clock.
double now();

} // namespace heddle::bench

#endif // HEDDLE_BENCH_MEASURE_H
