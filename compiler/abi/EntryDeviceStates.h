//===- EntryDeviceStates.h - states on a device -----------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYDEVICESTATES_H
#define HEDDLE_ABI_ENTRYDEVICESTATES_H

#include "EntryDevice.h"

namespace heddle {

/// Allocates a number of bytes on the model's device; returns the status if that fails.
llvm::Value *allocateState(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model,
                           llvm::Value *bytes);

/// A copy of a number of rows from one sequence to another.
struct SequenceCopy {
  llvm::Value *filled, *from, *to;
};
/// Copies these rows in each tensor on the device; returns the status if that fails. `header` is the header of the
/// state.
void copyOnDevice(EntryBuilder &builder, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes,
                  llvm::Value *model, llvm::Value *header, const SequenceCopy &copy);

/// Emits NAME_state_deinit(model, state), which releases the device memory of a state. It does nothing if there is
/// none.
llvm::Function *emitStateDeinit(llvm::Module &module, const ModelInterface &interface);
/// Emits state_device_memory(state), which returns the device memory, or null if the state does not belong to this
/// model.
llvm::Function *emitStateDeviceMemory(llvm::Module &module, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYDEVICESTATES_H
