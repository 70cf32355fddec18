//===- EntryDeviceStates.h - states on a device -----------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYDEVICESTATES_H
#define HEDDLE_ABI_ENTRYDEVICESTATES_H

#include "EntryDevice.h"

namespace heddle {

/// Emits code that allocates `bytes` bytes on the model's device, and returns the pointer to the struct heddle_memory.
/// If the allocation fails, the generated function returns the status of the allocation.
llvm::Value *allocateState(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model,
                           llvm::Value *bytes);

/// A copy of the first `filled` rows of sequence `from` to sequence `to`.
struct SequenceCopy {
  llvm::Value *filled, *from, *to;
};
/// Emits code that executes `copy` for each tensor of a state on the device. If a copy fails, or if the state has no
/// memory on the device, the generated function returns a status. `header` points to the StateHeader.
void copyOnDevice(EntryBuilder &builder, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes,
                  llvm::Value *model, llvm::Value *header, const SequenceCopy &copy);

/// Emits NAME_state_deinit(model, state), which releases the device memory of a state and clears its header.
/// NAME_state_deinit does nothing if `model` is not initialised, or if the memory of `state` has no header of this
/// model.
llvm::Function *emitStateDeinit(llvm::Module &module, const ModelInterface &interface);
/// Emits NAME_state_device_memory(state), an internal function, which returns the device memory of a state, or null if
/// the memory of the state has no header of this model.
llvm::Function *emitStateDeviceMemory(llvm::Module &module, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYDEVICESTATES_H
