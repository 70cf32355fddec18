//===- EntryStateHeader.h - the header of a state's memory ------*- C++ -*-===//
//
// Entry points read StateHeader (ModelWords.h) with these functions. The header is not trusted before it is checked.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_ENTRYSTATEHEADER_H
#define HEDDLE_ABI_ENTRYSTATEHEADER_H

#include "EntryBuilder.h"
#include "ModelWords.h"

namespace heddle {

/// The value of a product in this call.
llvm::Value *emitValue(EntryBuilder &b, const InterfaceProduct &product, llvm::ArrayRef<llvm::Value *> sizes);
/// Whether states depend on the size with this index.
bool dependsOnSize(const ModelInterface &interface, unsigned number);
/// Whether each call replaces one of the states.
bool hasReplaced(const InterfaceStates &states);

/// The memory that a struct heddle_state_memory points to; returns a status if it is null or misaligned.
llvm::Value *emitMemory(EntryBuilder &b, llvm::Value *state);

struct OwnMemory {
  llvm::Value *at, *size;
};
/// The same for a memory that must begin with a header of this model.
OwnMemory emitOwnMemory(EntryBuilder &b, const ModelInterface &interface, llvm::Value *state);
/// Returns a status if the number of bytes in the header is not that of states with these sizes, or if the memory is
/// shorter.
void returnIfDamaged(EntryBuilder &b, const ModelInterface &interface, const OwnMemory &memory,
                     llvm::ArrayRef<llvm::Value *> sizes);

llvm::Value *headerWord(EntryBuilder &b, llvm::Value *memory, uint64_t byte);
/// Whether an earlier call failed while it replaced states.
llvm::Value *isIncomplete(EntryBuilder &b, llvm::Value *memory);
/// Whether a number of filled rows is not possible for a sequence.
llvm::Value *isNoLength(EntryBuilder &b, const ModelInterface &interface, llvm::Value *filled, llvm::Value *capacity);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYSTATEHEADER_H
