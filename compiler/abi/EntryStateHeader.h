//===- EntryStateHeader.h - the header of a state's memory ------*- C++ -*-===//
//
// Entry points use these functions to read StateHeader (ModelWords.h). They
// check the header before they use its values.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_ENTRYSTATEHEADER_H
#define HEDDLE_ABI_ENTRYSTATEHEADER_H

#include "EntryBuilder.h"
#include "ModelWords.h"

namespace heddle {

/// Emits the value of a product in this call.
llvm::Value *emitValue(EntryBuilder &b, const InterfaceProduct &product, llvm::ArrayRef<llvm::Value *> sizes);
/// Returns whether states depend on the size with this index in interface.sizes.
bool dependsOnSize(const ModelInterface &interface, unsigned number);
/// Returns whether each call replaces at least one of the states as a whole.
bool hasReplaced(const InterfaceStates &states);

/// Loads the memory to which a struct heddle_state_memory points. If the memory is null or misaligned, the generated
/// function returns a status.
llvm::Value *emitMemory(EntryBuilder &b, llvm::Value *state);

struct OwnMemory {
  llvm::Value *at, *size;
};
/// Loads the memory like emitMemory. If the memory does not begin with a header of this model, the generated function
/// also returns a status.
OwnMemory emitOwnMemory(EntryBuilder &b, const ModelInterface &interface, llvm::Value *state);
/// Emits code by which the generated function returns a status if the number of bytes in the header is not that of
/// states with these sizes, or if the memory has fewer bytes.
void returnIfDamaged(EntryBuilder &b, const ModelInterface &interface, const OwnMemory &memory,
                     llvm::ArrayRef<llvm::Value *> sizes);

llvm::Value *headerWord(EntryBuilder &b, llvm::Value *memory, uint64_t byte);
/// Emits whether an earlier call failed while it replaced states.
llvm::Value *isIncomplete(EntryBuilder &b, llvm::Value *memory);
/// Emits whether a sequence cannot have this number of filled rows.
llvm::Value *isNoLength(EntryBuilder &b, const ModelInterface &interface, llvm::Value *filled, llvm::Value *capacity);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYSTATEHEADER_H
