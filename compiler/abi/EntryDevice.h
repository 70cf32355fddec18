//===- EntryDevice.h - a model's program on a device ------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYDEVICE_H
#define HEDDLE_ABI_ENTRYDEVICE_H

#include "EntryPieces.h"

namespace heddle {

/// Emits NAME_deinit(model), which frees what init created on the device. It does nothing if init created nothing.
llvm::Function *emitDeinit(llvm::Module &module, const ModelInterface &interface);

/// Emits the end of init, after the model knows its weights: loads code and weights, allocates memories and records
/// launches. If a step fails, everything is freed and the status of this step is returned.
void emitDeviceInit(EntryBuilder &builder, const ModelInterface &interface, llvm::Function *deinit, llvm::Value *model,
                    llvm::Value *device);

/// The location of a call's tensor: a host pointer, or a memory of the device and an offset, all null if the caller
/// left the tensor out; and the number of bytes.
struct PlacedTensor {
  llvm::Value *pointer, *memory, *offset, *size;
};
/// Emits the replay of one call's launches and returns its status. `callHeader` is the arena, which begins with the
/// call's sizes. States lie in memories of the device.
llvm::Value *emitReplay(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model,
                        llvm::Value *callHeader, llvm::ArrayRef<PlacedTensor> inputs,
                        llvm::ArrayRef<PlacedTensor> outputs, llvm::ArrayRef<PlacedTensor> states);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYDEVICE_H
