//===- CallTimes.h - times of the parts of a call ---------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CALLTIMES_H
#define HEDDLE_BENCH_CALLTIMES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// The seconds that each part of a model took in each call of the model. A part is one call of a kernel.
class CallTimes {
public:
  CallTimes() = default;
  /// `kernels` names the kernel of each part; a kernel that a model calls several times has several parts.
  explicit CallTimes(std::vector<std::string> kernels) : kernels(std::move(kernels)) { restart(); }

  /// Returns the number of parts.
  size_t size() const { return kernels.size(); }
  /// Discards the times added so far.
  void restart() { seconds.assign(kernels.size(), {}); }
  /// Adds the seconds of each part in one call. Does nothing after 20000 calls, which are enough for a median.
  void add(llvm::ArrayRef<double> call);
  /// Returns, for each part, its kernel and the median of its seconds.
  std::vector<std::pair<std::string, double>> medians() const;

private:
  std::vector<std::string> kernels;         // the kernel of each part
  std::vector<std::vector<double>> seconds; // indexed by part, then by call of the model
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CALLTIMES_H
