//===- Threads.h - the threads that compiled code runs on -------*- C++ -*-===//

#ifndef HEDDLE_THREADS_H
#define HEDDLE_THREADS_H

#include "heddle/executor.h"

#include "mlir/Support/LLVM.h"

#include <memory>

namespace heddle {

struct ExecutorDeleter {
  void operator()(heddle_executor *executor) const;
};
using ExecutorPtr = std::unique_ptr<heddle_executor, ExecutorDeleter>;

/// A pool of so many threads; 0: the physical cores that this process may use. Null for one thread: code then runs on
/// the calling one. That not all of them can be started is an error, which is printed.
mlir::FailureOr<ExecutorPtr> createExecutor(size_t threads);

} // namespace heddle

#endif // HEDDLE_THREADS_H
