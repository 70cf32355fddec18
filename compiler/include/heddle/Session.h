//===- Session.h - calls compiled models ------------------------*- C++ -*-===//
//
// Loads compiled code, either the object bytes that go into a library or a library from a file, and calls it through
// `struct heddle_model`. A library for another machine is loaded and called by another program.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SESSION_H
#define HEDDLE_SESSION_H

#include "heddle/device.h"
#include "heddle/instance.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <vector>

namespace heddle {

/// An open device; null means the CPU.
using DevicePtr = std::shared_ptr<heddle_device>;
/// Opens the device that --device names; null for the CPU.
llvm::Expected<DevicePtr> openDevice(llvm::StringRef name);

/// A loaded and initialised model with an arena. Calls of one session must not overlap; different sessions are
/// independent.
class Session {
public:
  virtual ~Session() = default;

  /// Links a relocatable object that defines `<name>_describe` into this process. `weights` is the block that the
  /// compiler wrote separately; empty if the object contains it. Uses the code of the variant `variant` or, if it is
  /// empty, of the best variant for this CPU. Code for a device needs `device` and keeps it open.
  static llvm::Expected<std::unique_ptr<Session>> fromObject(std::unique_ptr<llvm::MemoryBuffer> object,
                                                             llvm::StringRef name, std::vector<char> weights = {},
                                                             llvm::StringRef variant = "", DevicePtr device = nullptr);

  /// Loads the shared library at `path`. `weights` must outlive the session; it is empty if the library contains the
  /// weights.
  static llvm::Expected<std::unique_ptr<Session>> fromLibrary(llvm::StringRef path,
                                                              llvm::ArrayRef<char> weights = {},
                                                              llvm::StringRef variant = "", DevicePtr device = nullptr);

  /// Loads and calls the library at `path` through another program. The last word of `command` is heddle-runner
  /// ("qemu-aarch64 -L DIR heddle-runner"; quotes work as in a shell). `weightsPath` is empty if the library contains
  /// the weights. The functions of model() are null, and executors are not used. The session owns `keepAlive`, which
  /// may be an object that removes the file at `path` when it is destroyed.
  static llvm::Expected<std::unique_ptr<Session>> fromRunner(llvm::StringRef command, llvm::StringRef path,
                                                             llvm::StringRef weightsPath = "",
                                                             llvm::StringRef variant = "",
                                                             std::shared_ptr<void> keepAlive = nullptr);

  const heddle_model &model() const { return *description; }

  /// Creates a session with the same code and weights and an arena of its own, for another thread. This session must
  /// outlive the new session. Must not be called for a session of fromRunner.
  std::unique_ptr<Session> share() const;

  /// Sets the values of the sizes that lie in ranges, in the order of model().sizes, for all later calls. Initially
  /// each size has its minimum.
  void setSizes(llvm::ArrayRef<size_t> values) { sizes.assign(values.begin(), values.end()); }
  /// The extents of one of the model's tensors at the current sizes, and its size in bytes.
  std::vector<int64_t> shapeOf(const heddle_tensor &tensor) const;
  uint64_t bytesOf(const heddle_tensor &tensor) const;

  /// Runs the model. The pointers are in the order of model().inputs and outputs; a pointer is null if an optional
  /// tensor is absent. Runs on the calling thread if `executor` is null.
  virtual llvm::Error run(llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs,
                          const heddle_executor *executor = nullptr);

  /// Runs code for a device, with tensors whose places are in the order of model().inputs and outputs. A place may be
  /// on the device, except the place of an input that the call reads on the host (see heddle_model.run_on_device).
  llvm::Error runOnDevice(llvm::ArrayRef<heddle_place> inputs, llvm::ArrayRef<heddle_place> outputs);

  /// Runs the model with an arena that must already be large enough, and returns the status of the call. Sessions of
  /// fromRunner support neither this function nor states.
  heddle_status tryRun(llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs,
                       const heddle_executor *executor = nullptr);

  // The following functions are for models with a state.

  /// Returns the number of bytes that the memory of a state needs at the current sizes.
  size_t stateSize() const { return description->states->size(sizes.data()); }
  /// Initialises the memory of a state, which must be large enough.
  heddle_status initState(const heddle_state_memory &memory) const;
  /// Copies sequence `from` of a state over sequence `to`.
  heddle_status copyState(const heddle_state_memory &memory, size_t from, size_t to) const;

  // Code for a device keeps the tensors of an initialised state in device memory, which stateSize() does not include.

  /// Releases the device memory of a state.
  void deinitState(const heddle_state_memory &memory) const;
  /// Returns the number of bytes of the device memory of a state.
  size_t deviceStateSize() const;
  /// Copies the whole device memory of a state to `bytes`.
  heddle_status readState(const heddle_state_memory &memory, llvm::MutableArrayRef<char> bytes) const;
  /// Copies `bytes` to the whole device memory of a state.
  heddle_status writeState(const heddle_state_memory &memory, llvm::ArrayRef<char> bytes) const;

  /// The value of one of the model's expressions at the current sizes.
  uint64_t valueOf(const heddle_expression &expression) const;

  /// Makes the arena as large as a call needs, so that calls allocate nothing. Returns an error if there is too little
  /// memory.
  virtual llvm::Error reserveArena(const heddle_executor *executor = nullptr);

  /// Fills the arena with NaN: if a call reads bytes that it did not write, its results are then NaN.
  virtual llvm::Error poisonArena(const heddle_executor *executor = nullptr);

protected:
  Session() = default;
  Session(const Session &) = default;
  /// Sets model(), and each size to its minimum.
  void describe(const heddle_model *model);
  /// Sets model() and creates the instance: selects a variant and loads the weights.
  llvm::Error initialize(const heddle_model *model, llvm::ArrayRef<char> weights, llvm::StringRef variant,
                         DevicePtr device);
  /// Frees the instance while its code is still loaded.
  void release() { instance.reset(); }
  /// Uses the instance of another session without owning it; the other session must outlive this one.
  void disown() { instance = {std::shared_ptr<void>(), instance.get()}; }

private:
  const heddle_model *description = nullptr;
  DevicePtr device;
  std::shared_ptr<heddle_instance> instance; // freed before the device
  std::vector<size_t> sizes;                 // the values that setSizes set
  std::vector<char> arena;
};

} // namespace heddle

#endif // HEDDLE_SESSION_H
