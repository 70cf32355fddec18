//===- EntryStateHeader.h - what the memory of states begins with -*- C++ -*-//
//
// StateHeader of ModelWords.h, as entry points read it: none of it is believed before it is checked.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_ENTRYSTATEHEADER_H
#define HEDDLE_ABI_ENTRYSTATEHEADER_H

#include "EntryBuilder.h"
#include "ModelWords.h"

namespace heddle {

/// A product in a call.
llvm::Value *emitValue(EntryBuilder &b, const InterfaceProduct &product, llvm::ArrayRef<llvm::Value *> sizes);
/// Whether states depend on the size of this number.
bool dependsOnSize(const ModelInterface &interface, unsigned number);
/// Whether one of them is replaced by each call.
bool hasWhole(const InterfaceStates &states);

/// The memory of a struct heddle_state_memory, which is there.
llvm::Value *emitMemory(EntryBuilder &b, llvm::Value *state);

struct OwnMemory {
  llvm::Value *at, *size;
};
/// The same of a memory that begins with a header of this model's.
OwnMemory emitOwnMemory(EntryBuilder &b, const ModelInterface &interface, llvm::Value *state);
/// Refuses one whose header says another number of bytes than states of these sizes have, or that is shorter.
void returnIfDamaged(EntryBuilder &b, const ModelInterface &interface, const OwnMemory &memory,
                     llvm::ArrayRef<llvm::Value *> sizes);

llvm::Value *headerWord(EntryBuilder &b, llvm::Value *memory, uint64_t byte);
/// Whether a call did not end well.
llvm::Value *isBroken(EntryBuilder &b, llvm::Value *memory);
/// Whether a number of rows is none that a sequence can have filled.
llvm::Value *isNoLength(EntryBuilder &b, const ModelInterface &interface, llvm::Value *filled, llvm::Value *capacity);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYSTATEHEADER_H
