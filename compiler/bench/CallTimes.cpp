//===- CallTimes.cpp - times of the parts of a call -----------------------===//

#include "CallTimes.h"

#include "Statistics.h"

using namespace heddle::bench;

// The maximum number of calls whose times are recorded. A benchmark of a tiny model makes millions of calls, and fewer
// times are enough for a median.
static constexpr size_t maxCalls = 20000;

void CallTimes::add(llvm::ArrayRef<double> call) {
  for (size_t i = 0; i < seconds.size() && seconds[i].size() < maxCalls; ++i)
    seconds[i].push_back(call[i]);
}

std::vector<std::pair<std::string, double>> CallTimes::medians() const {
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i < kernels.size(); ++i)
    result.emplace_back(kernels[i], quantile(seconds[i], 0.5));
  return result;
}
