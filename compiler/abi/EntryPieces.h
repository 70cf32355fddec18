//===- EntryPieces.h - code that entry points share -------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYPIECES_H
#define HEDDLE_ABI_ENTRYPIECES_H

#include "EntryPoints.h"
#include "ModelWords.h"

namespace heddle {

/// Returns the value of ModelWords::fingerprint after NAME_init.
uint64_t getModelFingerprint(const ModelInterface &interface);

/// Emits choose(name), which returns the index of a variant (the code for one CPU in a library): of the variant with
/// this name or, if the name is null, of the best variant for this CPU. If there is no such variant, or this CPU cannot
/// run the variant, `choose` returns a negated heddle_status.
llvm::Function *emitChoose(llvm::Module &module, const ModelInterface &interface, const EntryMachine &machine);
/// Emits a call of `choose` and returns the index of the variant. If `choose` fails at run time, the generated function
/// returns the status that `choose` returned.
llvm::Value *callChoose(EntryBuilder &builder, llvm::Function *choose, llvm::Value *name);
/// Emits the name of a variant as a C string.
llvm::Value *emitVariantName(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *variant);
/// Selects the value of `variant` from `values`, which contains one value for each variant.
llvm::Value *selectVariant(EntryBuilder &builder, llvm::Value *variant, llvm::ArrayRef<llvm::Value *> values);

/// Emits NAME(model, variant, weights, size), which selects the variant, checks the weights and initialises the
/// model. NAME is `name`.
llvm::Function *emitInit(llvm::Module &module, const ModelInterface &interface, llvm::Function *choose,
                         llvm::StringRef name, bool isExported);
/// Emits NAME_init(model, weights, size, device) of a library for a device. If a step on the device fails, the code
/// calls `deinit`, which undoes the earlier steps.
llvm::Function *emitInitOnDevice(llvm::Module &module, const ModelInterface &interface, llvm::Function *deinit);
/// Emits NAME(model), which returns the name of the model's variant, or null if the model is not initialised. NAME is
/// `name`.
llvm::Function *emitVariant(llvm::Module &module, const ModelInterface &interface, llvm::StringRef name,
                            bool isExported);
/// Loads the index of the variant of a model whose fingerprint was checked.
llvm::Value *loadVariant(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model);

/// Emits NAME_init, NAME_init_variant and NAME_variant of a library with positional arguments (the library of a quoted
/// operation). These functions have no parameter for a model: a global variable contains the number of the selected
/// variant plus 1, or 0 if no variant is selected. Returns this variable.
llvm::GlobalVariable *emitPositionalChoice(llvm::Module &module, const ModelInterface &interface,
                                           llvm::Function *choose);
/// Emits the number of the selected variant or, if no variant is selected, of the best variant for this CPU.
llvm::Value *loadChoice(EntryBuilder &builder, llvm::GlobalVariable *chosen, llvm::Function *choose);

/// Emits code that computes whether some size is out of its range. `words` points to the sizes of a call, each an i64,
/// in the order of interface.sizes.
llvm::Value *emitOutOfRange(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words);
/// Loads the sizes to which `words` points, which must be in their ranges, and computes each derived size once. Returns
/// the sizes, followed by the derived sizes.
llvm::SmallVector<llvm::Value *> emitSizes(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words);
/// Emits `value` times the product of `sizes`, where `powers` contains the power of each size.
llvm::Value *emitProduct(EntryBuilder &b, llvm::Value *value, llvm::ArrayRef<uint8_t> powers,
                         llvm::ArrayRef<llvm::Value *> sizes);
/// Emits the number of bytes that `bytes` describes at these sizes: bytes.fixed, plus the size of every piece of memory
/// in bytes.pieces, each rounded up to a multiple of bytes.unit.
llvm::Value *emitBytes(EntryBuilder &b, const InterfaceBytes &bytes, llvm::ArrayRef<llvm::Value *> sizes);
/// Emits the number of bytes that an arena needs at these sizes, without the scratch memory of threads. The number is
/// enough for every variant.
llvm::Value *emitSharedBytes(EntryBuilder &b, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes);

/// Emits code that selects, from the functions in `ofClasses`, the one for the class that contains the call's sizes,
/// calls it, and makes the generated function return its result. The sizes must be in their ranges. The functions have
/// the parameters of the function that `b` builds.
void returnOfClass(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words,
                   llvm::ArrayRef<llvm::Function *> ofClasses);

/// The executor that kernels use during a call. It forwards work to the host's executor and stores the first status
/// other than HEDDLE_OK.
class HostExecutor {
public:
  HostExecutor(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *host, llvm::Value *threads);
  /// Returns the address of a struct heddle_executor.
  llvm::Value *get() const { return executor; }
  /// Loads the status: HEDDLE_OK, or the first failure of the host's executor.
  llvm::Value *getStatus();

private:
  EntryBuilder &b;
  llvm::Value *context, *executor;
};

/// Emits run_arrays(model, sizes, inputs, outputs, arena, arenaSize, executor), whose parameters `sizes`, `inputs` and
/// `outputs` are arrays. In a library for a device, run_arrays calls `runOnDevice`, which is null for other libraries.
llvm::Function *emitRunArrays(llvm::Module &module, const ModelInterface &interface, llvm::Function *runOnDevice);
/// Emits NAME_run_on_device(model, sizes, inputs, outputs, arena, arenaSize), whose parameters `inputs` and `outputs`
/// are arrays of struct heddle_place.
llvm::Function *emitRunOnDevice(llvm::Module &module, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYPIECES_H
