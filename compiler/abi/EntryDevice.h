//===- EntryDevice.h - what a model has on a device -------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYDEVICE_H
#define HEDDLE_ABI_ENTRYDEVICE_H

#include "EntryPieces.h"

namespace heddle {

/// NAME_deinit(model): gives back what init made on the device. A model that has nothing there is left alone.
llvm::Function *emitDeinit(llvm::Module &module, const ModelInterface &interface);

/// The end of init, where the model knows its weights: code, weights, memories and launches on the device. Returns the
/// status of what fails, and leaves nothing behind.
void emitDeviceInit(EntryBuilder &builder, const ModelInterface &interface, llvm::Function *deinit, llvm::Value *model,
                    llvm::Value *device);

/// A tensor of a call: a pointer to it on the host, or a memory of the device and an offset, both null where the caller
/// left it out; and bytes.
struct PlacedTensor {
  llvm::Value *pointer, *memory, *offset, *size;
};
/// The status of one call's launches. `frame` begins as the arena does, with sizes that the call brings. States lie in
/// memories of the device.
llvm::Value *emitReplay(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model, llvm::Value *frame,
                        llvm::ArrayRef<PlacedTensor> inputs, llvm::ArrayRef<PlacedTensor> outputs,
                        llvm::ArrayRef<PlacedTensor> states);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYDEVICE_H
