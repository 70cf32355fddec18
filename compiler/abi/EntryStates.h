//===- EntryStates.h - functions for states ---------------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYSTATES_H
#define HEDDLE_ABI_ENTRYSTATES_H

#include "EntryDevice.h"

namespace heddle {

/// The functions for states to which struct heddle_state points. `size` and `init` have a parameter `sizes`, an array
/// in the order of interface.sizes.
struct StateFunctions {
  llvm::Function *size = nullptr, *init = nullptr, *copy = nullptr;
  llvm::Function *deinit = nullptr, *deviceMemory = nullptr; // null if the library is not for a device
};
/// Adds NAME_state_size, NAME_state_init, NAME_state_copy and the internal functions that they call; in a library for a
/// device also NAME_state_deinit and the internal NAME_state_device_memory.
StateFunctions emitStateFunctions(llvm::Module &module, const ModelInterface &interface);

/// Emits code for the states of one call. No code before that of `begin` changes the states, and only the code of
/// `commit` increases the numbers of filled rows.
class CallStates {
public:
  /// Emits checks of the state and of the past of each sequence, which is the number of its rows that the call keeps.
  /// The checks return a status if the state's memory is too small or damaged, if the state belongs to another model or
  /// other sizes, if a past is negative or more than the filled rows, or if the new rows do not fit behind the past. A
  /// past of states that calls replace as a whole must be 0 or, unless the previous call failed, the number of filled
  /// rows. `state` points to a struct heddle_state_memory. `past` is the caller's pointer to the pasts of all
  /// sequences, or null if the model has no input for them.
  CallStates(EntryBuilder &builder, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes,
             llvm::Value *state, llvm::Value *past);

  /// Emits code that sets the number of filled rows of each sequence to its past, even if the call fails later. Stores
  /// these numbers at the address `past` unless it is null. In states that each call replaces as a whole, fills the
  /// sequences whose past is 0 with zeros.
  void begin(llvm::Value *past);
  /// Returns the address of a state in the caller's memory.
  llvm::Value *address(const InterfaceState &state);
  /// Returns the location of a state in the memory of a device.
  PlacedTensor place(const InterfaceState &state);
  /// Emits code that adds the new rows of the call to the number of filled rows of each sequence.
  void commit();

private:
  /// Emits a loop that runs `body` with the index of each sequence.
  void forEachSequence(llvm::function_ref<void(llvm::Value *)> body);
  /// Returns the address of the number of filled rows of a sequence.
  llvm::Value *filledOf(llvm::Value *sequence);

  EntryBuilder &b;
  const ModelInterface &interface;
  llvm::SmallVector<llvm::Value *> sizes;
  // The caller's memory, the number of sequences, the number of new rows, the address of the numbers of filled rows,
  // the address of the past of each sequence, and the struct heddle_memory of a state on a device.
  llvm::Value *memory, *batch, *rows, *filled, *pastGiven, *onDevice = nullptr;
};

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYSTATES_H
