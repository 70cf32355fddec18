//===- Codegen.h - LLVM IR optimised and made into objects ------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CODEGEN_H
#define HEDDLE_TARGETS_CPU_CODEGEN_H

#include "CpuTarget.h"

#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// Sets triple and layout, and what the functions of the kernels may use: each says so itself, since those of other
/// CPUs may become part of the module.
void setTarget(llvm::Module &module, const CpuTarget &target);

/// O3 for the CPU of each function; no call of a math library comes of it.
void optimize(llvm::Module &module, const CpuTarget &target);

/// Masked stores of one lane alone become stores of an element, where that is no f32 or f64: for x86-64-v4 LLVM 22 writes
/// four bytes of one that is truncated from 32 bits, whatever its type.
void storeSingleLanes(llvm::Module &module);

/// Machine code of the module, as an object or as assembly. Consumes the module's state.
mlir::FailureOr<llvm::SmallVector<char, 0>> emitCode(mlir::Location loc, llvm::Module &module,
                                                     const CpuTarget &target, llvm::CodeGenFileType type);

/// Gives the module a read-only section .heddle_weights of so many bytes, which are not in it.
void reserveWeights(llvm::Module &module, uint64_t size, llvm::StringRef symbol);

struct ObjectSizes {
  CodeSizes all;                   // instructions and constants; the most stack
  std::vector<CodeSizes> variants; // instructions; the deepest chain of `depth` calls
};
/// Measures an object of emitCode; variants have text sections of these names, what calls them has others. Weights do
/// not count as code.
ObjectSizes measureObject(llvm::MemoryBufferRef object, llvm::ArrayRef<std::string> sections, unsigned depth);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CODEGEN_H
