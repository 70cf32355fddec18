//===- ColdCaches.h - caches that hold nothing of a model -------*- C++ -*-===//

#ifndef HEDDLE_BENCH_COLDCACHES_H
#define HEDDLE_BENCH_COLDCACHES_H

#include "heddle/abi.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace heddle::bench {

/// Memory that nobody needs. Once it was read, the caches hold that and nothing else.
class ColdCaches {
public:
  /// `executor` null: only the calling thread's caches. Fails where there is no memory for it.
  static llvm::Expected<ColdCaches> create(size_t bytes, const heddle_executor *executor);

  /// Each thread of the executor reads all of it: caches belong to one core, or to some.
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
