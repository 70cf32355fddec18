//===- ColdCaches.h - evicts the data of a model from caches ----*- C++ -*-===//

#ifndef HEDDLE_BENCH_COLDCACHES_H
#define HEDDLE_BENCH_COLDCACHES_H

#include "heddle/abi.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace heddle::bench {

/// A block of memory that no model uses. Reading it evicts everything else from the caches.
class ColdCaches {
public:
  /// If `executor` is null, only the caches of the calling thread are made cold. Fails if there is not enough memory.
  static llvm::Expected<ColdCaches> create(size_t bytes, const heddle_executor *executor);

  /// Reads the whole block on each thread of the executor, since each core has caches of its own.
  void touch() const;

private:
  struct Free {
    void operator()(char *bytes) const { free(bytes); }
  };
  ColdCaches(char *memory, size_t bytes, const heddle_executor *executor)
      : memory(memory), bytes(bytes), executor(executor) {}

  std::unique_ptr<char, Free> memory;
  size_t bytes;
  const heddle_executor *executor;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_COLDCACHES_H
