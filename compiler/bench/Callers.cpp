//===- Callers.cpp - checks that threads can start ------------------------===//

#include "Callers.h"

#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <pthread.h>
#include <system_error>
#include <vector>

bool heddle::bench::canStartThreads(size_t count) {
  std::mutex gate; // locked until all threads have started
  gate.lock();
  auto pass = [](void *data) -> void * {
    std::lock_guard<std::mutex> lock(*static_cast<std::mutex *>(data));
    return nullptr;
  };
  std::vector<pthread_t> threads;
  int error = 0;
  while (threads.size() < count && !error) {
    pthread_t thread;
    error = pthread_create(&thread, nullptr, pass, &gate);
    if (!error)
      threads.push_back(thread);
  }
  gate.unlock();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  if (error)
    llvm::errs() << "heddle: error: cannot start " << count + 1 << " callers, only " << threads.size() + 1 << ": "
                 << std::error_code(error, std::generic_category()).message() << "\n";
  return !error;
}
