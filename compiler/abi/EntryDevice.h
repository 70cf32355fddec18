//===- EntryDevice.h - a model's program on a device ------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYDEVICE_H
#define HEDDLE_ABI_ENTRYDEVICE_H

#include "EntryPieces.h"

namespace heddle {

/// Emits NAME_deinit(model), which frees everything that init created on the device. NAME_deinit does nothing if init
/// created nothing.
llvm::Function *emitDeinit(llvm::Module &module, const ModelInterface &interface);

/// Emits the last steps of init, after the weights were checked: the code loads kernels and weights onto the device,
/// allocates memory and records launches. If a function of the device fails, the code calls `deinit` and returns the
/// status of this function. If `device` is null or too old for the model, the code returns an error before any step.
void emitDeviceInit(EntryBuilder &builder, const ModelInterface &interface, llvm::Function *deinit, llvm::Value *model,
                    llvm::Value *device);

/// The location and the number of bytes of a tensor in a call. The location is a host pointer, or a heddle_memory (an
/// allocation on the device) and an offset in bytes. If the caller omitted the tensor, `pointer`, `memory` and `offset`
/// are null.
struct PlacedTensor {
  llvm::Value *pointer, *memory, *offset, *size;
};
/// Emits the replay of one call's launches and returns the status of the replay. `callHeader` is the address of the
/// call header, which contains the call's sizes (heddle/ArenaLayout.h). `states` are in allocations on the device.
llvm::Value *emitReplay(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model,
                        llvm::Value *callHeader, llvm::ArrayRef<PlacedTensor> inputs,
                        llvm::ArrayRef<PlacedTensor> outputs, llvm::ArrayRef<PlacedTensor> states);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYDEVICE_H
