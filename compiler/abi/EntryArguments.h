//===- EntryArguments.h - checks the arguments of a call --------*- C++ -*-===//
//
// If a check fails, the generated code returns a status. `sizes` are the values of the call's sizes (emitSizes).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_ENTRYARGUMENTS_H
#define HEDDLE_ABI_ENTRYARGUMENTS_H

#include "EntryPieces.h"

namespace heddle {

/// The location of a tensor that the caller passed: a pointer or, if code is for a device, alternatively a memory and
/// an offset in it.
struct Given {
  llvm::Value *pointer, *memory = nullptr, *offset = nullptr;

  llvm::Value *isAbsent(EntryBuilder &b) const;
};

/// Loads element `i` of an array of such locations.
Given loadGiven(EntryBuilder &b, const ModelInterface &interface, llvm::Value *array, unsigned i);

/// The number of elements of a tensor in this call.
llvm::Value *emitCount(EntryBuilder &b, const InterfaceTensor &tensor, llvm::ArrayRef<llvm::Value *> sizes);

/// The address in the arena that is used for an absent optional tensor.
llvm::Value *emitArenaPlace(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                            llvm::ArrayRef<llvm::Value *> sizes, llvm::Value *arena, llvm::Value *variant);

/// The caller's pointer or, for an absent tensor, its address in the arena, filled with the default value.
llvm::Value *emitPointer(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                         llvm::ArrayRef<llvm::Value *> sizes, const Given &given, llvm::Value *arena,
                         llvm::Value *variant);

/// Returns a status if an element is outside of the tensor's range; emits nothing if it has no range.
void emitRangeCheck(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                    llvm::ArrayRef<llvm::Value *> sizes, llvm::Value *data);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYARGUMENTS_H
