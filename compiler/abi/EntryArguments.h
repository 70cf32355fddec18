//===- EntryArguments.h - checks the arguments of a call --------*- C++ -*-===//
//
// These functions emit code into a function that runs a model. If a check in this code fails, the generated function
// returns a status. `sizes` are the values of the call's sizes, as emitSizes (EntryPieces.h) returns them, and
// `variant` is the index of the variant (the code for one CPU) that runs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_ENTRYARGUMENTS_H
#define HEDDLE_ABI_ENTRYARGUMENTS_H

#include "EntryPieces.h"

namespace heddle {

/// The location of a tensor that the caller passed: a pointer to host memory or, only in code for a device, a
/// heddle_memory (an allocation on the device) and an offset in bytes.
struct Given {
  llvm::Value *pointer, *memory = nullptr, *offset = nullptr;

  /// Emits a boolean that is true if the caller omitted the tensor.
  llvm::Value *isAbsent(EntryBuilder &b) const;
};

/// Loads the location of tensor `i` from an array: of pointers or, in code for a device, of struct heddle_place.
Given loadGiven(EntryBuilder &b, const ModelInterface &interface, llvm::Value *array, unsigned i);

/// Returns the number of elements of a tensor in this call.
llvm::Value *emitCount(EntryBuilder &b, const InterfaceTensor &tensor, llvm::ArrayRef<llvm::Value *> sizes);

/// Returns the address in the arena (InterfaceTensor::arenaOffsets) that is used for a tensor for which the caller has
/// passed no pointer.
llvm::Value *emitArenaPlace(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                            llvm::ArrayRef<llvm::Value *> sizes, llvm::Value *arena, llvm::Value *variant);

/// Emits checks of the tensor's location, and returns the caller's pointer. For an absent optional tensor, returns its
/// address in the arena. If the tensor has a default value, the code fills the elements at this address with the value.
llvm::Value *emitPointer(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                         llvm::ArrayRef<llvm::Value *> sizes, const Given &given, llvm::Value *arena,
                         llvm::Value *variant);

/// Emits code that makes the generated function return HEDDLE_INDEX_OUT_OF_RANGE if an element of the tensor at `data`
/// is outside the tensor's range. Emits nothing if the tensor has no range or its elements are not integers.
void emitRangeCheck(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                    llvm::ArrayRef<llvm::Value *> sizes, llvm::Value *data);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYARGUMENTS_H
