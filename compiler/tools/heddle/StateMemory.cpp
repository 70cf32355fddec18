//===- StateMemory.cpp - memory of a model's states -----------------------===//

#include "StateMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle {

StateMemory::StateMemory(const Session &session) : storage(session.stateSize() + alignment) {
  auto begin = reinterpret_cast<uintptr_t>(storage.data());
  memory = {storage.data() + (alignTo(begin, alignment) - begin), session.stateSize()};
}

StateMemory::StateMemory(const Session &session, bool atEnd) : guarded(std::in_place, session.stateSize(), atEnd) {
  memory = {guarded->data(), guarded->size};
}

MutableArrayRef<int64_t> StateMemory::filled(const Session &session) const {
  const heddle_state &state = *session.model().states;
  return {reinterpret_cast<int64_t *>(bytes().data() + session.valueOf(state.filled)),
          session.valueOf(state.batch_size)};
}

MutableArrayRef<char> StateMemory::tensor(const Session &session, unsigned number) const {
  const heddle_state &state = *session.model().states;
  return bytes().slice(session.valueOf(state.offsets[number]), session.bytesOf(state.tensors[number]));
}

} // namespace heddle
