//===- EntryStates.h - what a caller keeps from call to call ----*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYSTATES_H
#define HEDDLE_ABI_ENTRYSTATES_H

#include "EntryDevice.h"

namespace heddle {

/// The functions of a model with states, on sizes in the order of interface.sizes.
struct StateFunctions {
  llvm::Function *size = nullptr, *init = nullptr, *copy = nullptr;
  llvm::Function *deinit = nullptr, *deviceMemory = nullptr; // of code for a device
};
/// Adds NAME_state_size, NAME_state_init and NAME_state_copy, and what they are made of.
StateFunctions emitStateFunctions(llvm::Module &module, const ModelInterface &interface);

/// The states of one call. Nothing is changed before `begin`, and what is filled grows in `commit` alone.
class CallStates {
public:
  /// Refuses a state that is not this model's, not of these sizes or not filled as the past says. `state` is a
  /// struct heddle_state_memory, `past` the caller's pointer or null.
  CallStates(EntryBuilder &builder, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes,
             llvm::Value *state, llvm::Value *past);

  /// What was filled behind the past is not any more, whatever becomes of the call. The past goes to `past`, if that is
  /// not null; states that are replaced are zeros where a sequence begins.
  void begin(llvm::Value *past);
  llvm::Value *address(const InterfaceState &state);
  /// The same on a device.
  PlacedTensor place(const InterfaceState &state);
  void commit();

private:
  void forEachSequence(llvm::function_ref<void(llvm::Value *)> body);
  llvm::Value *filledOf(llvm::Value *sequence);

  EntryBuilder &b;
  const ModelInterface &interface;
  llvm::SmallVector<llvm::Value *> sizes;
  llvm::Value *memory, *batch, *rows, *filled, *pastGiven, *onDevice = nullptr;
};

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYSTATES_H
