//===- CallTimes.h - how long parts of a model's call take ------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CALLTIMES_H
#define HEDDLE_BENCH_CALLTIMES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// Seconds of each part, which is a kernel's, over calls of the model.
class CallTimes {
public:
  CallTimes() = default;
  explicit CallTimes(std::vector<std::string> kernels) : kernels(std::move(kernels)) { restart(); }

  size_t size() const { return kernels.size(); }
  /// Forgets what was added before.
  void restart() { seconds.assign(kernels.size(), {}); }
  /// What the parts took in one call.
  void add(llvm::ArrayRef<double> call);
  /// The kernels, part by part, and the median of the seconds that each part took.
  std::vector<std::pair<std::string, double>> medians() const;

private:
  std::vector<std::string> kernels;         // of each part
  std::vector<std::vector<double>> seconds; // by part, then by call of the model
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CALLTIMES_H
