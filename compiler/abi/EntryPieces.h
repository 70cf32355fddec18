//===- EntryPieces.h - parts of the entry points ----------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYPIECES_H
#define HEDDLE_ABI_ENTRYPIECES_H

#include "EntryPoints.h"
#include "ModelWords.h"

namespace heddle {

/// What ModelWords::mark holds once NAME_init ran.
uint64_t getModelMark(const ModelInterface &interface);

/// choose(name): the number of the variant of this name, or of the best one where that is null; less than 0: a status,
/// negated.
llvm::Function *emitChoose(llvm::Module &module, const ModelInterface &interface, const EntryMachine &machine);
/// Calls it, and returns the status where there is one.
llvm::Value *callChoose(EntryBuilder &builder, llvm::Function *choose, llvm::Value *name);
/// The name of a variant.
llvm::Value *emitVariantName(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *variant);
/// The value that belongs to a variant.
llvm::Value *selectVariant(EntryBuilder &builder, llvm::Value *variant, llvm::ArrayRef<llvm::Value *> values);

/// init(model, variant, weights, size): chooses the variant, checks the weights, fills the model.
llvm::Function *emitInit(llvm::Module &module, const ModelInterface &interface, llvm::Function *choose,
                         llvm::StringRef name, bool isExported);
/// init(model, weights, size, device) of a library for a device, as NAME_init; `deinit` undoes what it did before it failed.
llvm::Function *emitInitOnDevice(llvm::Module &module, const ModelInterface &interface, llvm::Function *deinit);
/// variant(model): the name of the one that it has, or null.
llvm::Function *emitVariant(llvm::Module &module, const ModelInterface &interface, llvm::StringRef name,
                            bool isExported);
/// Which variant a model has that holds the mark.
llvm::Value *loadVariant(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *model);

/// NAME_init, NAME_init_variant and NAME_variant of a single operation, and the variable that holds what was chosen:
/// its number + 1, or 0.
llvm::GlobalVariable *emitPositionalChoice(llvm::Module &module, const ModelInterface &interface,
                                           llvm::Function *choose);
/// What was chosen; without a choice, the best that this machine runs.
llvm::Value *loadChoice(EntryBuilder &builder, llvm::GlobalVariable *chosen, llvm::Function *choose);

/// Whether a size is out of its range; `words` are in the order of interface.sizes.
llvm::Value *emitOutOfRange(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words);
/// The sizes of a call that are in their ranges, and behind them those that are derived, each computed once.
llvm::SmallVector<llvm::Value *> emitSizes(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words);
/// `value` times these sizes, as often as `powers` say.
llvm::Value *emitProduct(EntryBuilder &b, llvm::Value *value, llvm::ArrayRef<uint8_t> powers,
                         llvm::ArrayRef<llvm::Value *> sizes);
llvm::Value *emitBytes(EntryBuilder &b, const InterfaceBytes &bytes, llvm::ArrayRef<llvm::Value *> sizes);
/// Bytes of an arena that any variant needs for these sizes but for the threads' scratch.
llvm::Value *emitSharedBytes(EntryBuilder &b, const ModelInterface &interface, llvm::ArrayRef<llvm::Value *> sizes);

/// Returns what the function of the class returns that the sizes of a call lie in, all of them in their ranges. It has the
/// arguments of the one that is built.
void returnOfClass(EntryBuilder &b, const ModelInterface &interface, llvm::Value *words,
                   llvm::ArrayRef<llvm::Function *> ofClasses);

/// The executor that kernels see during a call: it passes work on to the host's and keeps the status that comes back.
class HostExecutor {
public:
  HostExecutor(EntryBuilder &builder, const ModelInterface &interface, llvm::Value *host, llvm::Value *threads);
  /// A struct heddle_executor.
  llvm::Value *get() const { return executor; }
  /// HEDDLE_OK, or what the host's executor answered first.
  llvm::Value *getStatus();

private:
  EntryBuilder &b;
  llvm::Value *context, *executor;
};

/// run(model, sizes, inputs, outputs, arena, arenaSize, executor), sizes and pointers in arrays.
/// Where code is for a device it calls `runOnDevice`; else that is null.
llvm::Function *emitRunArrays(llvm::Module &module, const ModelInterface &interface, llvm::Function *runOnDevice);
/// NAME_run_on_device(model, sizes, inputs, outputs, arena, arenaSize), tensors as arrays of struct heddle_place.
llvm::Function *emitRunOnDevice(llvm::Module &module, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYPIECES_H
