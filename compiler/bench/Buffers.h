//===- Buffers.h - a model's tensors bound for many calls -------*- C++ -*-===//

#ifndef HEDDLE_BENCH_BUFFERS_H
#define HEDDLE_BENCH_BUFFERS_H

#include "heddle/Session.h"
#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace heddle::bench {

/// Bytes at a multiple of a page, so that every candidate meets the same addresses modulo caches.
class AlignedBytes {
public:
  explicit AlignedBytes(size_t size);
  AlignedBytes(AlignedBytes &&) = default;

  char *data() const { return bytes.get(); }
  size_t size() const { return count; }

private:
  struct Free {
    void operator()(char *bytes) const { free(bytes); }
  };
  std::unique_ptr<char, Free> bytes;
  size_t count;
};

/// Inputs and outputs in memory, in the order of the model's; pointers are made once.
class Buffers {
public:
  Buffers(Buffers &&) = default;
  Buffers(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs);

  llvm::Error call(Session &session, const heddle_executor *executor) const {
    return session.run(inputPointers, outputPointers, executor);
  }
  /// What the last call wrote.
  llvm::SmallVector<Tensor> outputs() const;
  /// NaN, or the largest integers: what a call leaves out shows.
  void poison() const;

private:
  std::vector<AlignedBytes> storage;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  llvm::SmallVector<mlir::RankedTensorType> outputTypes;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_BUFFERS_H
