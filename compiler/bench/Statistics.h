//===- Statistics.h - what many timings of one thing amount to --*- C++ -*-===//

#ifndef HEDDLE_BENCH_STATISTICS_H
#define HEDDLE_BENCH_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// The value below which `fraction` of the values lie, between neighbours in proportion.
/// `values` need not be sorted; 0 where there are none.
double quantile(std::vector<double> values, double fraction);

/// Half of the values lie between the outer two.
struct Quartiles {
  double lower = 0, median = 0, upper = 0;

  /// How far the outer two lie apart, as a part of the median.
  double distance() const { return median > 0 ? (upper - lower) / median : 0; }
};
Quartiles quartiles(const std::vector<double> &values);

/// Of the seconds that calls took.
struct Summary {
  double median = 0, p90 = 0, p99 = 0, best = 0;
  /// How far the medians of the repetitions lie apart: (largest - smallest) / median of all.
  double spread = 0;
};

/// `repetitions` holds the seconds of each call (or of few, averaged), repetition by repetition.
Summary summarize(llvm::ArrayRef<std::vector<double>> repetitions);

/// What one subject took, round by round, and at best.
struct Rounds {
  std::vector<double> seconds;
  double best = 0;
};

/// How many times as fast one subject is as another. A busy neighbour slows down a round for both:
/// their ratio within a round stays, where the ratio of two medians over the whole run does not.
struct Ratio {
  Quartiles rounds;
  double minima = 0; // ratio of what both took at best
  size_t count = 0;  // rounds that both took part in
};

/// Above 1, `row` is faster than `base`. Both took part in the first rounds, each in as many as it has.
Ratio compareRounds(const Rounds &base, const Rounds &row);

/// Quartiles further apart than this part of the median say that the median is one of many.
constexpr double farApart = 0.1;

/// Why it is not to be trusted; empty where it is.
std::string doubtOf(const Ratio &ratio);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_STATISTICS_H
