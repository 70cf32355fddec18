//===- Statistics.cpp - what many timings of one thing amount to ----------===//

#include "Statistics.h"

#include <algorithm>
#include <cmath>

using namespace heddle::bench;

double heddle::bench::quantile(std::vector<double> values, double fraction) {
  if (values.empty())
    return 0;
  double position = fraction * double(values.size() - 1);
  size_t below = size_t(position);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  double low = values[below];
  if (below + 1 == values.size())
    return low;
  double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (high - low) * (position - double(below));
}

Summary heddle::bench::summarize(llvm::ArrayRef<std::vector<double>> repetitions) {
  std::vector<double> all, medians;
  for (const std::vector<double> &samples : repetitions) {
    if (samples.empty())
      continue;
    all.insert(all.end(), samples.begin(), samples.end());
    medians.push_back(quantile(samples, 0.5));
  }
  if (all.empty())
    return {};
  Summary summary;
  summary.best = *std::min_element(all.begin(), all.end());
  summary.median = quantile(all, 0.5);
  summary.p90 = quantile(all, 0.9);
  summary.p99 = quantile(std::move(all), 0.99);
  auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  if (summary.median > 0)
    summary.spread = (*high - *low) / summary.median;
  return summary;
}
