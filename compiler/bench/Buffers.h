//===- Buffers.h - input and output memory of a model -----------*- C++ -*-===//

#ifndef HEDDLE_BENCH_BUFFERS_H
#define HEDDLE_BENCH_BUFFERS_H

#include "heddle/Session.h"
#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace heddle::bench {

/// Page-aligned memory. The alignment ensures that addresses modulo the page size, which influence times, are the same
/// for all candidates (the compiled forms of a model that are compared).
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

/// The memory of a model's inputs and outputs, in the order of the model. The arrays of pointers are created only once,
/// so that timed calls do not create them.
class Buffers {
public:
  Buffers(Buffers &&) = default;
  /// Copies the inputs. An input that is nullopt is omitted in calls. `main` is @main of the imported model.
  Buffers(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs);

  /// Calls the model with these buffers. `executor` may be null.
  llvm::Error call(Session &session, const heddle_executor *executor) const {
    return session.run(inputPointers, outputPointers, executor);
  }
  /// Returns the outputs that the last call wrote.
  llvm::SmallVector<Tensor> outputs() const;
  /// Sets all bits of the outputs: floats become NaN and integers -1, so that elements that a call does not write are
  /// found.
  void poison() const;

private:
  std::vector<AlignedBytes> storage;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  llvm::SmallVector<mlir::RankedTensorType> outputTypes;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_BUFFERS_H
