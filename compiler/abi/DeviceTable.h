//===- DeviceTable.h - emits calls to a device's functions ------*- C++ -*-===//

#ifndef HEDDLE_ABI_DEVICETABLE_H
#define HEDDLE_ABI_DEVICETABLE_H

#include "EntryPieces.h"

#include "heddle/device.h"

#include <cstddef>

namespace heddle {

/// Emits calls of the functions in struct heddle_device, the function table of a device. The host program has passed
/// the table to init, which stored a pointer to the table in the instance.
class DeviceTable {
public:
  /// `model` points to an instance (an initialised model), whose content is a struct ModelWords.
  DeviceTable(EntryBuilder &b, llvm::Value *model)
      : b(b), device(b.load(b.ptr, model, offsetof(ModelWords, device))) {}

  /// Calls a function that returns a status. `function` is the offset in struct heddle_device of the pointer to the
  /// function.
  llvm::Value *status(uint64_t function, llvm::ArrayRef<llvm::Value *> arguments) {
    return call(b.i32, function, arguments);
  }
  /// Calls a function without a result that frees its argument: forget, unload or release.
  void callWith(uint64_t function, llvm::Value *argument) { call(b.getVoidTy(), function, {argument}); }

private:
  llvm::Value *call(llvm::Type *result, uint64_t function, llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Value *> all = {b.load(b.ptr, device, offsetof(heddle_device, self))};
    llvm::append_range(all, arguments);
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *argument : all)
      types.push_back(argument->getType());
    return b.CreateCall(llvm::FunctionType::get(result, types, /*isVarArg=*/false), b.load(b.ptr, device, function),
                        all);
  }

  EntryBuilder &b;
  llvm::Value *device;
};

} // namespace heddle

#endif // HEDDLE_ABI_DEVICETABLE_H
