//===- Codegen.h - LLVM IR to objects ---------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CODEGEN_H
#define HEDDLE_TARGETS_CPU_CODEGEN_H

#include "CpuTarget.h"

#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// Sets the triple and data layout of the module, and CPU and features as attributes of each of its functions, since
/// functions for other CPUs may be linked into the module.
void setTarget(llvm::Module &module, const CpuTarget &target);

/// Runs LLVM's O3 for the CPU of each function. The passes do not introduce calls of a math library.
void optimize(llvm::Module &module, const CpuTarget &target);

/// Turns masked stores of a single lane into stores of an element, except for f32 and f64. For x86-64-v4, LLVM 22
/// writes four bytes if the element is truncated from 32 bits, whatever its type.
void storeSingleLanes(llvm::Module &module);

/// Returns the machine code of the module, as an object or as assembly. The module must not be used afterwards.
mlir::FailureOr<llvm::SmallVector<char, 0>> emitCode(mlir::Location loc, llvm::Module &module,
                                                     const CpuTarget &target, llvm::CodeGenFileType type);

/// Adds a read-only section .heddle_weights of `size` bytes to the module, without contents.
void reserveWeights(llvm::Module &module, uint64_t size, llvm::StringRef symbol);

struct ObjectSizes {
  CodeSizes all;                   // instructions and constants; the most stack
  std::vector<CodeSizes> variants; // instructions; the deepest chain of `depth` calls
};
/// Measures an object that emitCode returned. The variants have text sections with the names `sections`; functions that
/// call them have other sections. Weights do not count as code.
ObjectSizes measureObject(llvm::MemoryBufferRef object, llvm::ArrayRef<std::string> sections, unsigned depth);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CODEGEN_H
