//===- EntryPieces.h - parts of the entry points ----------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYPIECES_H
#define HEDDLE_ABI_ENTRYPIECES_H

#include "EntryPoints.h"

namespace heddle {

/// Bytes of `struct NAME`, and what its second word holds once NAME_init ran.
inline constexpr uint64_t modelWords = 4;
uint64_t getModelMark(const ModelInterface &interface);

/// init(model, weights, size): checks the machine and the weights, fills the model.
llvm::Function *emitInit(llvm::Module &module, const ModelInterface &interface, const EntryMachine &machine,
                         llvm::StringRef name, bool isExported);

/// run(model, inputs, outputs, arena, arenaSize, executor), pointers in arrays.
llvm::Function *emitRunArrays(llvm::Module &module, const ModelInterface &interface, llvm::Function *main);

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYPIECES_H
