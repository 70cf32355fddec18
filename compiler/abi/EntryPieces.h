//===- EntryPieces.h - parts of the entry points ----------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYPIECES_H
#define HEDDLE_ABI_ENTRYPIECES_H

#include "EntryPoints.h"
#include "ModelWords.h"

namespace heddle {

/// The value of ModelWords::fingerprint after NAME_init.
uint64_t getModelFingerprint(const ModelInterface &interface);

/// Emits choose(name), which returns the number of the variant with this name, or of the best variant for this CPU if
/// the name is null. A negative result is a negated status.
llvm::Function *emitChoose(llvm::Module &module, const ModelInterface &interface, const EntryMachine &machine);
/// Calls `choose`; returns the status if it fails.
llvm::Value *callChoose(EntryBuilder &builder, llvm::Function *choose, llvm::Value *name);
/// The name of a variant as a C string.
llvm::Value *emitVariantName(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *variant);
/// Selects the value that belongs to the variant from `values`, which has one for each variant.
llvm::Value *selectVariant(EntryBuilder &builder, llvm::Value *variant, llvm::ArrayRef<llvm::Value *> values);

/// Emits init(model, variant, weights, size), which selects the variant, checks the weights and fills the model.
llvm::Function *emitInit(llvm::Module &module, const ModelInterface &interface, llvm::Function *choose,
                         llvm::StringRef name, bool isExported);
/// Emits NAME_init(model, weights, size, device) of a library for a device; if a step fails, `deinit` undoes the steps
/// before it.
llvm::Function *emitInitOnDevice(llvm::Module &module, const ModelInterface &interface, llvm::Function *deinit);
/// Emits variant(model), which returns the name of the model's variant, or null if it is not initialised.
llvm::Function *emitVariant(llvm::Module &module, const ModelInterface &interface, llvm::StringRef name,
                            bool isExported);
/// The variant of a model whose fingerprint was checked.
llvm::Value *loadVariant(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model);

/// Emits NAME_init, NAME_init_variant and NAME_variant of a single operation. Returns the variable with the selected
/// variant: its number + 1, or 0 if none was selected.
llvm::GlobalVariable *emitPositionalChoice(llvm::Module &module, const ModelInterface &interface,
                                           llvm::Function *choose);
/// The selected variant; if none was selected, the best one for this CPU.
llvm::Value *loadChoice(EntryBuilder &builder, llvm::GlobalVariable *chosen, llvm::Function *choose);

/// Whether a size is out of its range. `words` points to the sizes of a call, each an i64, in the order of
/// interface.sizes.
llvm::Value *emitOutOfRange(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words);
/// The sizes that `words` points to, which must be in their ranges, followed by the derived sizes, each computed once.
llvm::SmallVector<llvm::Value *> emitSizes(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words);
/// `value` times the product of these sizes, each to the power that `powers` has for it.
llvm::Value *emitProduct(EntryBuilder &b, llvm::Value *value, llvm::ArrayRef<uint8_t> powers,
                         llvm::ArrayRef<llvm::Value *> sizes);
llvm::Value *emitBytes(EntryBuilder &b, const InterfaceBytes &bytes, llvm::ArrayRef<llvm::Value *> sizes);
/// The bytes of an arena that are enough for any variant at these sizes, without the scratch memory of threads.
llvm::Value *emitSharedBytes(EntryBuilder &b, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes);

/// Emits a call of the function in `ofClasses` for the class that contains the call's sizes, and returns its result.
/// The sizes must be in their ranges. The functions take the same arguments as the one that is built.
void returnOfClass(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words,
                   llvm::ArrayRef<llvm::Function *> ofClasses);

/// The executor that kernels use during a call: it forwards work to the host's executor and keeps the first status
/// other than HEDDLE_OK.
class HostExecutor {
public:
  HostExecutor(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *host, llvm::Value *threads);
  /// The address of a struct heddle_executor.
  llvm::Value *get() const { return executor; }
  /// HEDDLE_OK, or the first failure of the host's executor.
  llvm::Value *getStatus();

private:
  EntryBuilder &b;
  llvm::Value *context, *executor;
};

/// Emits run(model, sizes, inputs, outputs, arena, arenaSize, executor), which takes sizes and pointers in arrays. If
/// code is for a device, it calls `runOnDevice`; otherwise that is null.
llvm::Function *emitRunArrays(llvm::Module &module, const ModelInterface &interface, llvm::Function *runOnDevice);
/// Emits NAME_run_on_device(model, sizes, inputs, outputs, arena, arenaSize); tensors are arrays of struct
/// heddle_place.
llvm::Function *emitRunOnDevice(llvm::Module &module, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYPIECES_H
