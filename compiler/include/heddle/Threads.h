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

/// Creates a pool of `threads` threads; 0 means the number of physical cores that this process may use. If the number
/// is one, returns null: code then runs on the calling thread. Prints an error and fails if not all threads can be
/// started.
mlir::FailureOr<ExecutorPtr> createExecutor(size_t threads);

} // namespace heddle

#endif // HEDDLE_THREADS_H
