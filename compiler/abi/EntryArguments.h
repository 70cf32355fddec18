//===- EntryArguments.h - what a call is given, checked ---------*- C++ -*-===//
//
// Where a check fails, the call returns a status. `sizes` are those of the call (emitSizes).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_ENTRYARGUMENTS_H
#define HEDDLE_ABI_ENTRYARGUMENTS_H

#include "EntryPieces.h"

namespace heddle {

/// What the caller gave for a tensor: a pointer, or where code is for a device also a memory and an offset.
struct Given {
  llvm::Value *pointer, *memory = nullptr, *offset = nullptr;

  llvm::Value *isAbsent(EntryBuilder &b) const;
};

/// Element `i` of an array of these.
Given loadGiven(EntryBuilder &b, const ModelInterface &interface, llvm::Value *array, unsigned i);

/// Elements of a tensor in this call.
llvm::Value *emitCount(EntryBuilder &b, const InterfaceTensor &tensor, llvm::ArrayRef<llvm::Value *> sizes);

/// The place in the arena of a tensor that has one.
llvm::Value *emitArenaPlace(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                            llvm::ArrayRef<llvm::Value *> sizes, llvm::Value *arena, llvm::Value *variant);

/// The caller's pointer, or the tensor's place in the arena, filled with its default.
llvm::Value *emitPointer(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                         llvm::ArrayRef<llvm::Value *> sizes, const Given &given, llvm::Value *arena,
                         llvm::Value *variant);

/// Refuses elements outside of the tensor's range, if it has one.
void emitRangeCheck(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                    llvm::ArrayRef<llvm::Value *> sizes, llvm::Value *data);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYARGUMENTS_H
