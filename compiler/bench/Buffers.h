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

/// The memory of a model's inputs and outputs, in the order of the model: on the host and, for code for a device, also
/// on the device. The arrays of pointers and places are created only once, so that timed calls do not create them.
class Buffers {
public:
  Buffers(Buffers &&) = default;
  /// Copies the inputs. An input that is nullopt is omitted in calls. `main` is @main of the imported model.
  Buffers(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs);

  /// Copies the inputs to memory of the device, and allocates memory for the outputs there. Later calls use this
  /// memory. The exceptions are inputs that a call of `model` reads on the host, such as token ids; they stay on the
  /// host.
  llvm::Error moveTo(DevicePtr device, const heddle_model &model);

  bool isOnDevice() const { return bool(device); }

  /// Calls the model with these buffers. `executor` may be null.
  llvm::Error call(Session &session, const heddle_executor *executor) const {
    return device ? session.runOnDevice(inputPlaces, outputPlaces) : callOnHost(session, executor);
  }
  /// Calls the model with the buffers on the host. Code for a device copies them to the device and back.
  llvm::Error callOnHost(Session &session, const heddle_executor *executor) const {
    return session.run(inputPointers, outputPointers, executor);
  }
  /// Sets all bits of the outputs and of the arena, calls the model as `call` or, if `onHost`, as `callOnHost` does,
  /// and returns the outputs. Floats become NaN and integers -1, so the outputs are wrong if the call leaves elements
  /// unwritten, or reads bytes of the arena that it did not write.
  llvm::Expected<llvm::SmallVector<Tensor>> callPoisoned(Session &session, const heddle_executor *executor,
                                                         bool onHost) const;

private:
  struct Release {
    DevicePtr device;
    void operator()(heddle_memory *memory) const { device->release(device->self, memory); }
  };
  /// Allocates device memory for the `size` bytes at `host`, copies them there and returns the place.
  llvm::Expected<heddle_place> placeOnDevice(const void *host, size_t size);
  /// Returns the number of bytes of the output with this index.
  size_t outputSize(size_t index) const;
  llvm::Error deviceError() const;

  std::vector<AlignedBytes> storage;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  llvm::SmallVector<mlir::RankedTensorType> outputTypes;
  DevicePtr device; // null before moveTo
  std::vector<std::unique_ptr<heddle_memory, Release>> memories;
  std::vector<heddle_place> inputPlaces, outputPlaces;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_BUFFERS_H
