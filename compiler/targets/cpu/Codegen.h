//===- Codegen.h - LLVM IR to objects ---------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CODEGEN_H
#define HEDDLE_TARGETS_CPU_CODEGEN_H

#include "CpuTarget.h"

#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// Sets the triple and the data layout of the module. Sets the CPU and its features as attributes of each function,
/// because functions for other CPUs may be linked into the module later.
void setTarget(llvm::Module &module, const CpuTarget &target);

/// Optimizes with LLVM's O3 pipeline for the CPU of each function, and calls storeSingleLanes. The passes do not
/// introduce calls of a math library.
void optimize(llvm::Module &module, const CpuTarget &target);

/// Replaces each masked store whose constant mask selects a single lane, except stores of f32 and f64, by a store of
/// the element. This avoids an error of LLVM 22: for x86-64-v4, LLVM stores four bytes if the element was truncated
/// from 32 bits, even if the element's type has fewer bytes.
void storeSingleLanes(llvm::Module &module);

/// Returns the machine code of the module, as an object or as assembly. The module must not be used afterwards.
mlir::FailureOr<llvm::SmallVector<char, 0>> emitCode(mlir::Location loc, llvm::Module &module,
                                                     const CpuTarget &target, llvm::CodeGenFileType type);

/// Adds a read-only section .heddle_weights of `size` bytes without contents to the module, and defines `symbol` as the
/// start of this section.
void reserveWeights(llvm::Module &module, uint64_t size, llvm::StringRef symbol);

/// Sizes of code and stack in bytes. `all` describes the whole object, and each element of `variants` describes one
/// variant, the code for one CPU.
struct ObjectSizes {
  CodeSizes all;                   // instructions and constants, and the largest stack of a variant
  std::vector<CodeSizes> variants; // instructions, and an upper bound of the stack of a call
};
/// Measures an object that emitCode returned. sections[i] is the name of the text section with the functions of variant
/// i. Functions that call variants are in other sections. `depth` is the maximum number of functions in a chain of
/// calls. Weights do not count as code.
ObjectSizes measureObject(llvm::MemoryBufferRef object, llvm::ArrayRef<std::string> sections, unsigned depth);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CODEGEN_H
