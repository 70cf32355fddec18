//===- EntryPoints.h - the functions that C programs call -------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYPOINTS_H
#define HEDDLE_ABI_ENTRYPOINTS_H

#include "EntryBuilder.h"
#include "ModelInterface.h"

#include "llvm/IR/Module.h"

namespace heddle {

/// The first bytes of a block of weights: magic, size and hash (WeightsHash.h) of what follows.
inline constexpr uint64_t weightsHeaderSize = 64;
inline constexpr uint64_t weightsMagic = 0x3157454c44444548; // "HEDDLEW1"

/// Symbol of the embedded block.
std::string getWeightsSymbol(const ModelInterface &interface);

/// The machine that entry points are for.
struct EntryMachine {
  /// A CPU that has no more than every one of the architecture, as LLVM names it, and its features: the entry points
  /// run before the CPU is checked.
  llvm::StringRef cpu, features;
  /// Writes what returns HEDDLE_UNSUPPORTED_CPU where the machine has not what the code of a variant needs.
  llvm::function_ref<void(EntryBuilder &, unsigned variant)> emitCheck;
};

/// Adds NAME_init, NAME_run and the others, which call each variant's @main (ModelInterface::getMain); makes all else
/// internal.
void addEntryPoints(llvm::Module &module, const ModelInterface &interface, const EntryMachine &machine);

/// Null: the library has none. One for a device has no init, and others have none of the three for one; without states there are none for these.
struct DescribedFunctions {
  llvm::Function *init = nullptr, *variant = nullptr, *arenaSize = nullptr, *run = nullptr;
  llvm::Function *initOnDevice = nullptr, *deinit = nullptr, *runOnDevice = nullptr;
  llvm::Function *stateSize = nullptr, *stateInit = nullptr, *stateCopy = nullptr;
  llvm::Function *stateDeinit = nullptr, *stateDeviceMemory = nullptr; // of code for a device
};
/// Adds the constant `struct heddle_model`.
llvm::GlobalVariable *addDescription(llvm::Module &module, const ModelInterface &interface,
                                     const DescribedFunctions &functions);

/// Writes interface.stackSize into the description, which addEntryPoints made before it was known.
void setStackSize(llvm::Module &module, const ModelInterface &interface);
/// The same in an object made of such a module.
void setStackSize(llvm::MutableArrayRef<char> object, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYPOINTS_H
