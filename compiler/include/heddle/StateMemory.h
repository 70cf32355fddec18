//===- StateMemory.h - memory of a model's states ---------------*- C++ -*-===//

#ifndef HEDDLE_STATEMEMORY_H
#define HEDDLE_STATEMEMORY_H

#include "heddle/GuardedBytes.h"
#include "heddle/Session.h"

#include "mlir/Support/LLVM.h"

#include <optional>
#include <vector>

namespace heddle {

/// The memory for the states of a model at the sizes of the session. If the state's tensors are on a device, this
/// object also contains a host copy of the tensors, after the memory that the library uses. The session must outlive
/// this object.
class StateMemory {
public:
  explicit StateMemory(const Session &session);
  /// Allocates the memory between inaccessible pages: if `atEnd`, it ends right before such a page, otherwise it begins
  /// right after one. The memory of a device's states is not guarded, since code on the host accesses only its header.
  StateMemory(const Session &session, bool atEnd);
  StateMemory(const StateMemory &) = delete;
  ~StateMemory();

  /// Initialises the state (Session::initState).
  heddle_status init();
  /// `pull` copies the state's tensors from the device to this object, and `push` copies them back. If the tensors are
  /// not on a device, both functions do nothing. They print errors.
  mlir::LogicalResult pull() const;
  mlir::LogicalResult push() const;
  const heddle_state_memory &get() const { return memory; }
  /// The whole memory, with the host copy of tensors on a device.
  llvm::MutableArrayRef<char> bytes() const;
  /// The number of filled rows of each sequence.
  llvm::MutableArrayRef<int64_t> filled(const Session &session) const;
  /// The bytes of tensor `number` of the state.
  llvm::MutableArrayRef<char> tensor(const Session &session, unsigned number) const;

private:
  /// The offset of the host copy in bytes(), or the size of the memory if there is no copy.
  size_t hostSize() const;
  void allocate();

  static constexpr size_t alignment = 64;
  const Session &session;
  bool isInitialised = false;
  size_t onDevice; // the size of the tensors on a device in bytes; 0 if they are on the host
  std::vector<char> storage;           // contains the memory, unless `guarded` does
  std::optional<GuardedBytes> guarded; // set by the constructor with `atEnd` if the state's tensors are on the host
  heddle_state_memory memory;
};

} // namespace heddle

#endif // HEDDLE_STATEMEMORY_H
