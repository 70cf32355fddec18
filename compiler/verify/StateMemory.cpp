//===- StateMemory.cpp - the memory of a model's states -------------------===//

#include "heddle/StateMemory.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

StateMemory::StateMemory(const Session &session) : session(session), onDevice(session.deviceStateSize()) { allocate(); }

StateMemory::StateMemory(const Session &session, bool atEnd) : session(session), onDevice(session.deviceStateSize()) {
  if (onDevice) {
    allocate();
    return;
  }
  guarded.emplace(session.stateSize(), atEnd);
  memory = {guarded->data(), guarded->size};
}

void StateMemory::allocate() {
  // The state on the host comes first, followed by a copy of its part on the device (`onDevice` bytes).
  storage.resize(llvm::alignTo(session.stateSize(), alignment) + onDevice + alignment);
  auto begin = reinterpret_cast<uintptr_t>(storage.data());
  memory = {storage.data() + (llvm::alignTo(begin, alignment) - begin), session.stateSize()};
}

StateMemory::~StateMemory() {
  if (isInitialised && session.model().device)
    session.deinitState(memory);
}

heddle_status StateMemory::init() {
  heddle_status status = session.initState(memory);
  isInitialised = status == HEDDLE_OK;
  return status;
}

size_t StateMemory::hostSize() const { return onDevice ? llvm::alignTo(memory.size, alignment) : memory.size; }

MutableArrayRef<char> StateMemory::bytes() const { return {static_cast<char *>(memory.memory), hostSize() + onDevice}; }

/// Prints an error if a copy from or to the device failed.
static LogicalResult check(const heddle_model &model, heddle_status status) {
  if (status == HEDDLE_OK)
    return success();
  llvm::errs() << "heddle: error: cannot copy a state of " << model.name
               << " from or to the device: " << heddle_status_text(status) << "\n";
  return failure();
}

LogicalResult StateMemory::pull() const {
  return onDevice ? check(session.model(), session.readState(memory, bytes().drop_front(hostSize()))) : success();
}

LogicalResult StateMemory::push() const {
  return onDevice ? check(session.model(), session.writeState(memory, bytes().drop_front(hostSize()))) : success();
}

MutableArrayRef<int64_t> StateMemory::filled(const Session &session) const {
  const heddle_state &state = *session.model().states;
  return {reinterpret_cast<int64_t *>(bytes().data() + session.valueOf(state.filled)),
          session.valueOf(state.batch_size)};
}

MutableArrayRef<char> StateMemory::tensor(const Session &session, unsigned number) const {
  const heddle_state &state = *session.model().states;
  size_t start = onDevice ? hostSize() : 0;
  return bytes().slice(start + session.valueOf(state.offsets[number]), session.bytesOf(state.tensors[number]));
}

} // namespace heddle
