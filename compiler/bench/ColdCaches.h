//===- ColdCaches.h - evicts the data of a model from caches ----*- C++ -*-===//

#ifndef HEDDLE_BENCH_COLDCACHES_H
#define HEDDLE_BENCH_COLDCACHES_H

#include "heddle/abi.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace heddle::bench {

/// A block of memory that no model uses. If the block is large enough, reading it evicts all other data from the
/// caches.
class ColdCaches {
public:
  /// Allocates a block of `bytes` bytes. touch() uses the threads of `executor`, which must outlive this object. If
  /// `executor` is null, touch() makes cold only the caches of the calling thread. Fails if there is too little memory.
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
  size_t bytes; // the size of the block, a multiple of the cache line
  const heddle_executor *executor;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_COLDCACHES_H
