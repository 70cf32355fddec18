//===- Statistics.h - statistics of timings ---------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_STATISTICS_H
#define HEDDLE_BENCH_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// Returns the value below which `fraction` of the values lie, interpolated linearly. `values` need not be sorted; the
/// result is 0 if there are none.
double quantile(std::vector<double> values, double fraction);

/// The quartiles: half of the values lie between the outer two.
struct Quartiles {
  double lower = 0, median = 0, upper = 0;

  /// The distance of the outer two, relative to the median.
  double distance() const { return median > 0 ? (upper - lower) / median : 0; }
};
Quartiles quartiles(const std::vector<double> &values);

/// A summary of the seconds of calls.
struct Summary {
  double median = 0, p90 = 0, p99 = 0, best = 0;
  /// The range of the medians of the repetitions: (largest - smallest) / median of all.
  double spread = 0;
};

/// `repetitions` holds, for each repetition, the seconds of each call (or averages of a few calls).
Summary summarize(llvm::ArrayRef<std::vector<double>> repetitions);

/// The seconds of a subject in each round, and its shortest time.
struct Rounds {
  std::vector<double> seconds;
  double best = 0;
};

/// The speed of one subject relative to another. A busy neighbour slows down both in the same round: their ratio within
/// a round stays the same, unlike the ratio of two medians over the whole run.
struct Ratio {
  Quartiles rounds;
  double minima = 0; // ratio of the shortest times
  size_t count = 0;  // number of rounds of both
};

/// Returns the ratio; above 1, `row` is faster than `base`. Rounds are compared by number, as many as both have.
Ratio compareRounds(const Rounds &base, const Rounds &row);

/// If the quartiles are further apart than this part of the median, the median is not trusted.
constexpr double farApart = 0.1;

/// Returns the reason why a ratio is not trusted; empty if it is trusted.
std::string doubtOf(const Ratio &ratio);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_STATISTICS_H
