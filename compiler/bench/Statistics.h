//===- Statistics.h - what many timings of one thing amount to --*- C++ -*-===//

#ifndef HEDDLE_BENCH_STATISTICS_H
#define HEDDLE_BENCH_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace heddle::bench {

/// The value below which `fraction` of the values lie, between neighbours in proportion.
/// `values` need not be sorted; 0 where there are none.
double quantile(std::vector<double> values, double fraction);

/// Of the seconds that calls took.
struct Summary {
  double median = 0, p90 = 0, p99 = 0, best = 0;
  /// How far the medians of the repetitions lie apart: (largest - smallest) / median of all.
  double spread = 0;
};

/// `repetitions` holds the seconds of each call (or of few, averaged), repetition by repetition.
Summary summarize(llvm::ArrayRef<std::vector<double>> repetitions);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_STATISTICS_H
