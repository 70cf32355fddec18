//===- EntryDeviceStates.h - states whose tensors a device has --*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYDEVICESTATES_H
#define HEDDLE_ABI_ENTRYDEVICESTATES_H

#include "EntryDevice.h"

namespace heddle {

/// So many bytes on the model's device; returns the status of what fails.
llvm::Value *allocateState(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model,
                           llvm::Value *bytes);

/// What is copied: so many rows of one sequence to another.
struct SequenceCopy {
  llvm::Value *filled, *from, *to;
};
/// Has the device copy them in each tensor; returns the status of what fails. `header`: the state's.
void copyOnDevice(EntryBuilder &builder, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes,
                  llvm::Value *model, llvm::Value *header, const SequenceCopy &copy);

/// NAME_state_deinit(model, state): what the device has of a state is released. One without is left alone.
llvm::Function *emitStateDeinit(llvm::Module &module, const ModelInterface &interface);
/// state_device_memory(state): that memory, null where the state is none of this model's.
llvm::Function *emitStateDeviceMemory(llvm::Module &module, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYDEVICESTATES_H
