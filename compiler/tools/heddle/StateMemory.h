//===- StateMemory.h - memory of a model's states ---------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_STATEMEMORY_H
#define HEDDLE_TOOLS_STATEMEMORY_H

#include "heddle/GuardedBytes.h"
#include "heddle/Session.h"

#include <optional>
#include <vector>

namespace heddle {

/// What a caller keeps for the states of a model, at the sizes that the session has. Session::initState makes it one.
class StateMemory {
public:
  explicit StateMemory(const Session &session);
  /// Between pages that nobody may touch: it ends where one of them begins, or begins behind one.
  StateMemory(const Session &session, bool atEnd);

  const heddle_state_memory &get() const { return memory; }
  llvm::MutableArrayRef<char> bytes() const { return {static_cast<char *>(memory.memory), memory.size}; }
  /// How many rows of each sequence are filled.
  llvm::MutableArrayRef<int64_t> filled(const Session &session) const;
  /// The bytes of a tensor in it.
  llvm::MutableArrayRef<char> tensor(const Session &session, unsigned number) const;

private:
  static constexpr size_t alignment = 64;
  std::vector<char> storage;
  std::optional<GuardedBytes> guarded;
  heddle_state_memory memory;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_STATEMEMORY_H
