//===- EntryPieces.h - parts of the entry points ----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_ENTRYPIECES_H
#define HEDDLE_TARGETS_ENTRYPIECES_H

#include "targets/cpu/CpuTarget.h"
#include "EntryBuilder.h"
#include "ModelInterface.h"

namespace heddle {

/// Bytes of `struct NAME`, and what its second word holds once NAME_init ran.
inline constexpr uint64_t modelWords = 4;
uint64_t getModelMark(const ModelInterface &interface);

/// Returns HEDDLE_UNSUPPORTED_CPU where a feature is missing.
void emitCpuCheck(EntryBuilder &builder, const CpuTarget &target);

/// init(model, weights, size): checks CPU and weights, fills the model.
llvm::Function *emitInit(llvm::Module &module, const ModelInterface &interface, const CpuTarget &target,
                         llvm::StringRef name, bool isExported);

/// run(model, inputs, outputs, arena, arenaSize, executor), pointers in arrays.
llvm::Function *emitRunArrays(llvm::Module &module, const ModelInterface &interface, llvm::Function *main);

} // namespace heddle

#endif // HEDDLE_TARGETS_ENTRYPIECES_H
