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

/// The quartiles of some values. Half of the values lie between the lower and the upper quartile.
struct Quartiles {
  double lower = 0, median = 0, upper = 0;

  /// Returns the distance of the lower and the upper quartile, relative to the median.
  double distance() const { return median > 0 ? (upper - lower) / median : 0; }
};
Quartiles quartiles(const std::vector<double> &values);

/// A summary of the times of calls, in seconds.
struct Summary {
  double median = 0, p90 = 0, p99 = 0, best = 0;
  /// The range of the medians of the repetitions: (largest - smallest) / (median of all calls).
  double spread = 0;
};

/// Summarizes times. `repetitions` contains, for each repetition, the seconds of each call (or averages of a few
/// calls).
Summary summarize(llvm::ArrayRef<std::vector<double>> repetitions);

/// The seconds of a subject in each round, and its shortest time.
struct Rounds {
  std::vector<double> seconds;
  double best = 0;
};

/// The speed of one subject relative to another subject. Another program that keeps the machine busy slows down both
/// subjects in the same round. So their ratio within a round stays the same, unlike the ratio of two medians over the
/// whole run.
struct Ratio {
  Quartiles rounds;
  double minima = 0; // the ratio of the shortest times
  size_t count = 0;  // the number of rounds that both have
};

/// Returns the ratio. If it is above 1, `row` is faster than `base`. Compares the rounds that both have, by their
/// numbers.
Ratio compareRounds(const Rounds &base, const Rounds &row);

/// If the distance of the quartiles exceeds this fraction of the median, the median is not trusted.
constexpr double farApart = 0.1;

/// Returns the reason why a ratio is not trusted, or "" if it is trusted.
std::string doubtOf(const Ratio &ratio);

/// Reasons why figures of a row are not trusted. The reason for a trusted figure is empty.
struct Doubts {
  std::string time, share, ratio;

  bool any() const { return !time.empty() || !share.empty() || !ratio.empty(); }
  /// Returns all reasons, such as "share of the roof: it changed ...; ratio: ...".
  std::string text() const;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_STATISTICS_H
