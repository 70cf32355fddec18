//===- Threads.cpp - the threads that compiled code runs on ---------------===//

#include "heddle/Threads.h"

#include "heddle/PrintError.h"

using namespace mlir;

namespace heddle {

void ExecutorDeleter::operator()(heddle_executor *executor) const { heddle_executor_destroy(executor); }

// Returns null for a single thread, since calls without an executor run on the calling thread.
FailureOr<ExecutorPtr> createExecutor(size_t threads) {
  if (!threads)
    threads = heddle_physical_cores();
  if (threads <= 1)
    return ExecutorPtr();
  ExecutorPtr executor(heddle_executor_create(threads));
  if (executor && executor->threads == threads)
    return executor;
  printError(llvm::createStringError("cannot start " + Twine(threads) +
                                     " threads: the limit on threads or the available memory is too small"));
  return failure();
}

} // namespace heddle
