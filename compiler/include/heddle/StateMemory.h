//===- StateMemory.h - memory of a model's states ---------------*- C++ -*-===//

#ifndef HEDDLE_STATEMEMORY_H
#define HEDDLE_STATEMEMORY_H

#include "heddle/GuardedBytes.h"
#include "heddle/Session.h"

#include "mlir/Support/LLVM.h"

#include <optional>
#include <vector>

namespace heddle {

/// What a caller keeps for the states of a model, at the sizes that the session has. Where a device has the tensors,
/// there is a copy of them here, behind the caller's memory. The session stays as long as it.
class StateMemory {
public:
  explicit StateMemory(const Session &session);
  /// Between pages that nobody may touch: it ends where one of them begins, or begins behind one. (What is for a
  /// device has none: of it the host's code sees a header alone.)
  StateMemory(const Session &session, bool atEnd);
  StateMemory(const StateMemory &) = delete;
  ~StateMemory();

  heddle_status init();
  /// Brings the tensors here, or what is here to where they are: nothing, where no device has them. Errors are printed.
  mlir::LogicalResult pull() const;
  mlir::LogicalResult push() const;
  const heddle_state_memory &get() const { return memory; }
  llvm::MutableArrayRef<char> bytes() const;
  /// How many rows of each sequence are filled.
  llvm::MutableArrayRef<int64_t> filled(const Session &session) const;
  /// The bytes of a tensor in it.
  llvm::MutableArrayRef<char> tensor(const Session &session, unsigned number) const;

private:
  size_t hostSize() const;
  void allocate();

  static constexpr size_t alignment = 64;
  const Session &session;
  bool isInitialised = false;
  size_t onDevice; // bytes
  std::vector<char> storage;
  std::optional<GuardedBytes> guarded;
  heddle_state_memory memory;
};

} // namespace heddle

#endif // HEDDLE_STATEMEMORY_H
