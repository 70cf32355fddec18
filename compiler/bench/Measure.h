//===- Measure.h - times subjects in turn -----------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_MEASURE_H
#define HEDDLE_BENCH_MEASURE_H

#include "Statistics.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::bench {

/// How long each subject (a function that is timed) runs, and in how many repetitions.
struct Timing {
  /// How long each subject is called, in seconds: `warmup` in its warm-up, and `duration` in all of its repetitions
  /// together.
  double warmup = 0.2, duration = 3;
  /// The maximum number of repetitions of a subject. If `duration` is too short for all of them, there are fewer
  /// repetitions, but at least one.
  unsigned repetitions = 9;
};

/// The times of one repetition.
struct Repetition {
  int64_t iterations = 0;                 // the number of timed calls of all callers
  double realSeconds = 0, cpuSeconds = 0; // the average wall-clock time and CPU time of one call
  double wallSeconds = 0;                 // how long the repetition took, for the throughput of concurrent callers
};

/// A function that is timed, and its times.
struct Subject {
  std::string name;
  /// Makes one call. `caller` is the number of the calling thread, from 0 to `callers` - 1.
  std::function<void(size_t caller)> call;
  /// If set, this function runs before each call and is not timed. Each sample then consists of a single call.
  std::function<void()> prepare;
  size_t callers = 1;
  /// If positive, this number of seconds replaces `duration` of Timing, and `warmup` is changed in proportion.
  double duration = 0;

  std::vector<Repetition> repetitions;
  /// The seconds of a call, for each repetition and sample. Repetition i belongs to round i. If a call is short, a
  /// sample is the average over several calls that together take about 10 microseconds, so that the time of reading the
  /// clock is negligible.
  std::vector<std::vector<double>> samples;

  Summary summary() const { return summarize(samples); }
  /// Returns the median time of the calls in each round. For concurrent callers, returns the duration of each
  /// repetition divided by the number of calls of all callers instead.
  Rounds rounds() const;
};

/// Times all subjects in one run. In each round, every subject that has repetitions left runs for one repetition; the
/// order is random. Calls `progress` with the completed fraction, from 0 to 1.
void measure(llvm::MutableArrayRef<Subject> subjects, const Timing &timing,
             const std::function<void(double)> &progress = {});

/// Returns the time of a monotonic clock in seconds.
double now();

} // namespace heddle::bench

#endif // HEDDLE_BENCH_MEASURE_H
