//===- EntryPoints.h - the functions that C programs call -------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYPOINTS_H
#define HEDDLE_ABI_ENTRYPOINTS_H

#include "EntryBuilder.h"
#include "ModelInterface.h"

#include "llvm/IR/Module.h"

namespace heddle {

/// The size in bytes of the header of a block of weights. The header contains a magic number, and the size and the hash
/// (WeightsHash.h) of the weights.
inline constexpr uint64_t weightsHeaderSize = 64;
inline constexpr uint64_t weightsMagic = 0x3157454c44444548; // "HEDDLEW1"

/// Returns the symbol of the embedded block of weights.
std::string getWeightsSymbol(const ModelInterface &interface);

/// The machine for which entry points are compiled.
struct EntryMachine {
  /// `cpu` is LLVM's name for the CPU with only those features that all CPUs of the architecture have; `features` names
  /// these features. Entry points are compiled for this CPU, because they run before the actual CPU is checked.
  llvm::StringRef cpu, features;
  /// Emits code that returns HEDDLE_UNSUPPORTED_CPU if the machine lacks a feature that the code of `variant` needs.
  llvm::function_ref<void(EntryBuilder &, unsigned variant)> emitCheck;
};

/// Adds NAME_init, NAME_run and the other entry points, which call @main of a variant (ModelInterface::getMain). Gives
/// internal linkage to all functions that the module defined before.
void addEntryPoints(llvm::Module &module, const ModelInterface &interface, const EntryMachine &machine);

/// The functions to which struct heddle_model points; a function that the library does not have is null. A library for
/// a device has no `init`; only such a library has `initOnDevice`, `deinit` and `runOnDevice`. Only a model with states
/// has functions for states.
struct DescribedFunctions {
  llvm::Function *init = nullptr, *variant = nullptr, *arenaSize = nullptr, *run = nullptr;
  llvm::Function *initOnDevice = nullptr, *deinit = nullptr, *runOnDevice = nullptr;
  llvm::Function *stateSize = nullptr, *stateInit = nullptr, *stateCopy = nullptr;
  llvm::Function *stateDeinit = nullptr, *stateDeviceMemory = nullptr; // null if the library is not for a device
};
/// Adds the constant `struct heddle_model`.
llvm::GlobalVariable *addDescription(llvm::Module &module, const ModelInterface &interface,
                                     const DescribedFunctions &functions);

/// Stores interface.stackSize in the description that addDescription made before the stack size was known.
void setStackSize(llvm::Module &module, const ModelInterface &interface);
/// Stores interface.stackSize in the description in an object file that was compiled from such a module.
void setStackSize(llvm::MutableArrayRef<char> object, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYPOINTS_H
