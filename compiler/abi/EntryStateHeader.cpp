//===- EntryStateHeader.cpp - the header of a state's memory --------------===//

#include "EntryStateHeader.h"
#include "EntryPieces.h"

#include "heddle/model.h"

#include "llvm/Support/xxhash.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

uint64_t heddle::getStateFingerprint(const ModelInterface &interface) {
  // interface.source may contain names of files. So use it only if there is no hash of the model's content.
  std::string text = interface.identity ? std::string() : interface.source;
  if (interface.device) // the memory of a state differs between kinds of devices
    text += "\n" + interface.variants.front().name;
  text += interface.states->layout;
  return xxh3_64bits(text) ^ interface.identity;
}

Value *heddle::emitValue(EntryBuilder &b, const InterfaceProduct &product, ArrayRef<Value *> sizes) {
  return emitProduct(b, b.word(uint64_t(product.each)), product.powers, sizes);
}

bool heddle::dependsOnSize(const ModelInterface &interface, unsigned number) {
  return any_of(interface.states->dims, [&](unsigned dim) { return interface.dims[dim].number == number; });
}

Value *heddle::headerWord(EntryBuilder &b, Value *memory, uint64_t byte) { return b.load(b.i64, memory, byte); }

Value *heddle::emitMemory(EntryBuilder &b, Value *state) {
  b.returnIf(b.isNull(state), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(b.isMisaligned(state, 8), HEDDLE_INVALID_ARGUMENT);
  Value *memory = b.load(b.ptr, state, offsetof(heddle_state_memory, memory));
  b.returnIf(b.isNull(memory), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(b.isMisaligned(memory, 8), HEDDLE_INVALID_ARGUMENT);
  return memory;
}

OwnMemory heddle::emitOwnMemory(EntryBuilder &b, const ModelInterface &interface, Value *state) {
  Value *memory = emitMemory(b, state), *size = b.load(b.i64, state, offsetof(heddle_state_memory, size));
  b.returnIf(b.CreateICmpULT(size, b.word(uint64_t(interface.states->filled.fixed))), HEDDLE_STATE_TOO_SMALL);
  Value *magic = headerWord(b, memory, offsetof(StateHeader, magic));
  b.returnIf(b.CreateICmpNE(magic, b.word(stateMagic)), HEDDLE_STATE_NOT_INITIALISED);
  Value *fingerprint = headerWord(b, memory, offsetof(StateHeader, fingerprint));
  b.returnIf(b.CreateICmpNE(fingerprint, b.word(getStateFingerprint(interface))), HEDDLE_STATE_OF_ANOTHER_MODEL);
  return {memory, size};
}

void heddle::returnIfDamaged(EntryBuilder &b, const ModelInterface &interface, const OwnMemory &memory,
                            ArrayRef<Value *> sizes) {
  Value *bytes = emitBytes(b, interface.states->size, sizes);
  b.returnIf(b.CreateICmpNE(headerWord(b, memory.at, offsetof(StateHeader, bytes)), bytes),
             HEDDLE_STATE_NOT_INITIALISED);
  b.returnIf(b.CreateICmpULT(memory.size, bytes), HEDDLE_STATE_TOO_SMALL);
}

bool heddle::hasReplaced(const InterfaceStates &states) {
  return any_of(states.all, [](const InterfaceState &one) { return one.isReplaced; });
}

Value *heddle::isIncomplete(EntryBuilder &b, Value *memory) {
  return b.CreateICmpNE(headerWord(b, memory, offsetof(StateHeader, incomplete)), b.word(0));
}

Value *heddle::isNoLength(EntryBuilder &b, const ModelInterface &interface, Value *filled, Value *capacity) {
  Value *wrong = b.CreateICmpSLT(filled, b.word(0));
  bool hasRows = interface.states->capacity.each != 0;
  return hasRows ? b.CreateOr(wrong, b.CreateICmpSGT(filled, capacity)) : wrong;
}
