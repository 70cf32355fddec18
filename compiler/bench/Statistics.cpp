//===- Statistics.cpp - statistics of timings -----------------------------===//

#include "Statistics.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace heddle::bench;

// A ratio from fewer rounds is not trusted, because quartiles of so few values are not meaningful.
static constexpr size_t fewestRounds = 4;
// The calls with the shortest times were not disturbed by other programs. If the median of the ratios within rounds
// differs from the ratio of the shortest times by more than this fraction of the median, other programs have probably
// changed the median, and the ratio is not trusted.
static constexpr double minimaOff = 0.05;

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

Quartiles heddle::bench::quartiles(const std::vector<double> &values) {
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
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

Ratio heddle::bench::compareRounds(const Rounds &base, const Rounds &row) {
  std::vector<double> ratios;
  for (auto [slow, fast] : llvm::zip(base.seconds, row.seconds)) // only the rounds in which both subjects were timed
    if (fast > 0)
      ratios.push_back(slow / fast);
  return {quartiles(ratios), row.best > 0 ? base.best / row.best : 0, ratios.size()};
}

std::string heddle::bench::doubtOf(const Ratio &ratio) {
  if (ratio.count < fewestRounds)
    return llvm::formatv("only {0} round{1}", ratio.count, ratio.count == 1 ? "" : "s");
  if (ratio.rounds.distance() > farApart)
    return llvm::formatv("half of the rounds are between {0:f2} and {1:f2}", ratio.rounds.lower, ratio.rounds.upper);
  if (std::abs(ratio.minima - ratio.rounds.median) > minimaOff * ratio.rounds.median)
    return llvm::formatv("the ratio of the minima is {0:f2}", ratio.minima);
  return "";
}

std::string Doubts::text() const {
  std::string text;
  for (auto [figure, why] : {std::pair("time", &time), {"share of the roof", &share}, {"ratio", &ratio}})
    if (!why->empty())
      text += (text.empty() ? "" : "; ") + std::string(figure) + ": " + *why;
  return text;
}
