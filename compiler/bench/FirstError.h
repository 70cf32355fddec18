//===- FirstError.h - the first error of timed calls ------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_FIRSTERROR_H
#define HEDDLE_BENCH_FIRSTERROR_H

#include "llvm/Support/Error.h"

#include <atomic>
#include <mutex>

namespace heddle::bench {

/// The first error of calls on several threads. A device may fail in any call. Callers test this object before each
/// call and make no further calls after an error; the benchmark then discards the times.
class FirstError {
public:
  /// Returns whether there is an error.
  explicit operator bool() const { return failed; }
  /// Stores the error unless it is a success or an earlier error was stored.
  void take(llvm::Error error) {
    if (!error)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    std::string text = llvm::toString(std::move(error));
    if (!failed.exchange(true))
      words = std::move(text);
  }
  /// Returns the stored error, or success if there is none. No call may be running.
  llvm::Error get() { return failed ? llvm::createStringError(words) : llvm::Error::success(); }

private:
  std::mutex mutex;
  std::atomic<bool> failed{false};
  std::string words;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_FIRSTERROR_H
