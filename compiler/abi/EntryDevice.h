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

/// The status of one call's launches; pointers are null where the caller left a tensor out.
llvm::Value *emitReplay(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model,
                        llvm::ArrayRef<llvm::Value *> inputs, llvm::ArrayRef<llvm::Value *> outputs);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYDEVICE_H
