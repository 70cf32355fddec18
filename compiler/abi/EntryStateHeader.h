//===- EntryStateHeader.h - the header of a state's memory ------*- C++ -*-===//
//
// Entry points use these functions to read StateHeader (ModelWords.h). The
// entry points check the header before they use its values.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_ENTRYSTATEHEADER_H
#define HEDDLE_ABI_ENTRYSTATEHEADER_H

#include "EntryBuilder.h"
#include "ModelWords.h"

namespace heddle {

/// Emits the value of a product, where `sizes` are the sizes of the call (emitSizes).
llvm::Value *emitValue(EntryBuilder &b, const InterfaceProduct &product, llvm::ArrayRef<llvm::Value *> sizes);
/// Returns whether states depend on the size with this index in interface.sizes.
bool dependsOnSize(const ModelInterface &interface, unsigned number);
/// Returns whether each call replaces at least one of the states as a whole.
bool hasReplaced(const InterfaceStates &states);

/// Loads the pointer `memory` of the struct heddle_state_memory at `state`. If `state` or the loaded pointer is null or
/// misaligned, the generated function returns a status.
llvm::Value *emitMemory(EntryBuilder &b, llvm::Value *state);

/// The members of a struct heddle_state_memory: the pointer and the number of bytes.
struct OwnMemory {
  llvm::Value *at, *size;
};
/// Loads both members, with the checks of emitMemory. If the memory is too small for a header and sizes, or does not
/// begin with a StateHeader of this model, the generated function also returns a status.
OwnMemory emitOwnMemory(EntryBuilder &b, const ModelInterface &interface, llvm::Value *state);
/// Emits code that makes the generated function return a status if the number of bytes in the header differs from the
/// number that states with these sizes need, or if the memory is smaller than they need.
void returnIfDamaged(EntryBuilder &b, const ModelInterface &interface, const OwnMemory &memory,
                     llvm::ArrayRef<llvm::Value *> sizes);

/// Loads the i64 at the offset `byte` of the memory.
llvm::Value *headerWord(EntryBuilder &b, llvm::Value *memory, uint64_t byte);
/// Emits a boolean that is true if an earlier call failed while it replaced states.
llvm::Value *isIncomplete(EntryBuilder &b, llvm::Value *memory);
/// Emits a boolean that is true if `filled` is not a possible number of filled rows of a sequence.
llvm::Value *isNoLength(EntryBuilder &b, const ModelInterface &interface, llvm::Value *filled, llvm::Value *capacity);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYSTATEHEADER_H
