//===- Statistics.h - statistics of timings ---------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_STATISTICS_H
#define HEDDLE_BENCH_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// Returns the value below which `fraction` of the values lie, interpolated linearly. `values` need not be sorted.
/// Returns 0 if there are no values.
double quantile(std::vector<double> values, double fraction);

/// The quartiles and the median of some values. Half of the values lie between the lower and the upper quartile.
struct Quartiles {
  double lower = 0, median = 0, upper = 0;

  /// Returns the distance between the lower and the upper quartile, relative to the median.
  double distance() const { return median > 0 ? (upper - lower) / median : 0; }
};
Quartiles quartiles(const std::vector<double> &values);

/// A summary of the times of calls, in seconds.
struct Summary {
  double median = 0, p90 = 0, p99 = 0, best = 0; // p90, p99: percentiles; best: the shortest time
  /// The range of the medians of the repetitions: (largest - smallest) / (median of all calls).
  double spread = 0;
};

/// Summarizes times. `repetitions` contains, for each repetition, the time of each call in seconds (or averages over a
/// few calls).
Summary summarize(llvm::ArrayRef<std::vector<double>> repetitions);

/// The seconds of a subject (a function that is timed) in each round, and its shortest time. In a round, all subjects
/// are timed one after the other. If callers are concurrent, other times replace these (Subject::rounds()).
struct Rounds {
  std::vector<double> seconds; // the median of the calls in each round
  double best = 0;             // the shortest time of a call
};

/// The speed of one subject relative to another subject. Another program that keeps the machine busy slows down both
/// subjects in the same round. So the ratio of their times within a round changes little, unlike the ratio of their
/// medians over the whole run.
struct Ratio {
  Quartiles rounds;  // the ratios within each round
  double minima = 0; // the ratio of the shortest times
  size_t count = 0;  // the number of rounds in which both subjects were timed
};

/// Returns the time of `base` divided by the time of `row`; `row` is faster if the ratio is above 1. Compares each
/// round in which both subjects were timed.
Ratio compareRounds(const Rounds &base, const Rounds &row);

/// If the distance of the quartiles exceeds this fraction of the median, the median is not trusted.
constexpr double farApart = 0.1;

/// Returns the reason why a ratio is not trusted, or "" if it is trusted.
std::string doubtOf(const Ratio &ratio);

/// The reasons why the figures of a candidate are not trusted: its time, its share of the roof, and its ratio to the
/// default. A reason is empty if the figure is trusted.
struct Doubts {
  std::string time, share, ratio;

  bool any() const { return !time.empty() || !share.empty() || !ratio.empty(); }
  /// Returns all reasons, such as "share of the roof: the roof changed ...; ratio: ...".
  std::string text() const;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_STATISTICS_H
