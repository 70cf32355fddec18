//===- Session.h - calls compiled models ------------------------*- C++ -*-===//
//
// Loads what the compiler wrote, the same object bytes as in a library or a
// library from a file, and calls it through `struct heddle_model`; or has a
// program do that, for a library of another machine.
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

/// An open device; null: the CPU.
using DevicePtr = std::shared_ptr<heddle_device>;
/// Opens what --device names; null for the CPU.
llvm::Expected<DevicePtr> openDevice(llvm::StringRef name);

/// A loaded and initialised model with an arena. Calls through one session run
/// one at a time; sessions are independent of each other.
class Session {
public:
  virtual ~Session() = default;

  /// Links a relocatable object that defines `<name>_describe` into this process.
  /// `weights` are what the compiler wrote beside the object; empty: they are inside it. The code is that of `variant`;
  /// empty: the best for this CPU. Code for a device needs it, and keeps it open.
  static llvm::Expected<std::unique_ptr<Session>> fromObject(std::unique_ptr<llvm::MemoryBuffer> object,
                                                             llvm::StringRef name, std::vector<char> weights = {},
                                                             llvm::StringRef variant = "", DevicePtr device = nullptr);

  /// Loads a shared library. `weights` must outlive the session; empty: they are inside it.
  static llvm::Expected<std::unique_ptr<Session>> fromLibrary(llvm::StringRef path,
                                                              llvm::ArrayRef<char> weights = {},
                                                              llvm::StringRef variant = "", DevicePtr device = nullptr);

  /// Has a command call the library at `path`, with heddle-runner as its last words ("qemu-aarch64 -L DIR
  /// heddle-runner"; quotes as in a shell). `weightsPath` empty: they are inside the library. The model's functions are
  /// null, and executors are not used. The session holds `keepAlive` (a remover of the file) as long as it lives.
  static llvm::Expected<std::unique_ptr<Session>> fromRunner(llvm::StringRef command, llvm::StringRef path,
                                                             llvm::StringRef weightsPath = "",
                                                             llvm::StringRef variant = "",
                                                             std::shared_ptr<void> keepAlive = nullptr);

  const heddle_model &model() const { return *description; }

  /// A session on the same code and weights with an arena of its own, for another thread. This
  /// one must outlive it, and is not of fromRunner.
  std::unique_ptr<Session> share() const;

  /// Says what the model's sizes that lie in ranges are in the calls that follow, in the order of model().sizes; before
  /// it, the least ones.
  void setSizes(llvm::ArrayRef<size_t> values) { sizes.assign(values.begin(), values.end()); }
  /// Extents of one of the model's tensors in these calls, and bytes that it takes.
  std::vector<int64_t> shapeOf(const heddle_tensor &tensor) const;
  uint64_t bytesOf(const heddle_tensor &tensor) const;

  /// Runs the model. Pointers are in the order of model().inputs and outputs, null
  /// where an optional one is absent. `executor` null: on the calling thread.
  virtual llvm::Error run(llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs,
                          const heddle_executor *executor = nullptr);

  /// The status of such a run, which the arena must be large enough for; not of fromRunner, which has no states either.
  heddle_status tryRun(llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs,
                       const heddle_executor *executor = nullptr);
  /// Of a model with a state: bytes that its memory needs for these sizes, what makes a memory one, and a sequence
  /// another one.
  size_t stateSize() const { return description->states->size(sizes.data()); }
  heddle_status initState(const heddle_state_memory &memory) const;
  heddle_status copyState(const heddle_state_memory &memory, size_t from, size_t to) const;
  /// Of code for a device: releases what it has of a state that was initialised; reads and writes all of that. Bytes there
  /// are none of in stateSize(): deviceStateSize().
  void deinitState(const heddle_state_memory &memory) const;
  size_t deviceStateSize() const;
  heddle_status readState(const heddle_state_memory &memory, llvm::MutableArrayRef<char> bytes) const;
  heddle_status writeState(const heddle_state_memory &memory, llvm::ArrayRef<char> bytes) const;
  /// What an expression of the model's is for these sizes.
  uint64_t valueOf(const heddle_expression &expression) const;

  /// Makes the arena as large as a call needs, which is an error where there is too little memory. After it, a call
  /// allocates nothing.
  virtual llvm::Error reserveArena(const heddle_executor *executor = nullptr);

  /// Fills the arena with NaN, so that a call which reads what it did not write shows.
  virtual llvm::Error spoilArena(const heddle_executor *executor = nullptr);

protected:
  Session() = default;
  Session(const Session &) = default;
  /// Sets model(), and the sizes to the least ones.
  void describe(const heddle_model *model);
  llvm::Error initialize(const heddle_model *model, llvm::ArrayRef<char> weights, llvm::StringRef variant,
                         DevicePtr device);
  /// Frees the instance while its code is still loaded.
  void release() { instance.reset(); }
  /// Goes on with the instance of another session, which outlives this one.
  void disown() { instance = {std::shared_ptr<void>(), instance.get()}; }

private:
  const heddle_model *description = nullptr;
  DevicePtr device;
  std::shared_ptr<heddle_instance> instance; // freed before the device
  std::vector<size_t> sizes;
  std::vector<char> arena;
};

} // namespace heddle

#endif // HEDDLE_SESSION_H
