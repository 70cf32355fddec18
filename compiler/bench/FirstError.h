//===- FirstError.h - the first error of timed calls ------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_FIRSTERROR_H
#define HEDDLE_BENCH_FIRSTERROR_H

#include "llvm/Support/Error.h"

#include <atomic>
#include <mutex>

namespace heddle::bench {

/// The first error of calls on several threads. A device may fail at any time. After a failure, no further calls are
/// made, and the times are discarded.
class FirstError {
public:
  explicit operator bool() const { return failed; }
  void take(llvm::Error error) {
    if (!error)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    std::string text = llvm::toString(std::move(error));
    if (!failed.exchange(true))
      words = std::move(text);
  }
  llvm::Error get() { return failed ? llvm::createStringError(words) : llvm::Error::success(); }

private:
  std::mutex mutex;
  std::atomic<bool> failed{false};
  std::string words;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_FIRSTERROR_H
