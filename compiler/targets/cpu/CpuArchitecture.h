//===- CpuArchitecture.h - facts of a CPU architecture ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
#define HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H

#include "CpuLimits.h"
#include "abi/EntryBuilder.h"

#include "llvm/TargetParser/Triple.h"

namespace heddle {

/// The facts about one CPU architecture, such as x86-64, and the functions that depend on it.
struct CpuArchitecture {
  llvm::Triple::ArchType arch;
  /// `baseline` is LLVM's name for a CPU that has only the features that all CPUs of the architecture have;
  /// `baselineFeatures` are these features.
  llvm::StringLiteral baseline, baselineFeatures;
  /// The default of --mcpu for a library: one or more names, separated by commas.
  llvm::StringLiteral defaults;
  /// Examples of CPU names, for the error about an unknown name.
  llvm::StringLiteral examples;
  /// LLVM's names of the features beyond the baseline that generated code may use. Generated code uses no other
  /// features, so that a library's function NAME_init can check every feature that the code needs.
  llvm::SmallVector<llvm::StringRef> checkedFeatures;
  /// LLVM's name of the feature with instructions that convert between f16 and f32. The name is empty if every CPU of
  /// the architecture has such instructions.
  llvm::StringLiteral halfFeature;
  /// Returns the number and the width of the vector registers that code for a CPU with these features uses.
  VectorRegisters (*getVectors)(llvm::ArrayRef<std::string> features);
  /// Returns whether dot products of bytes cost at most as much with an unsigned left operand as with a signed one.
  bool (*hasUnsignedDots)(llvm::ArrayRef<std::string> features);
  /// Returns the width in bits (8 or 16) of the integers in which the rounded rows of a layer's input should be stored
  /// for dot products with int8 weights.
  int64_t (*getDotBits)(llvm::ArrayRef<std::string> features);
  /// LLVM's name of the feature with instructions for dot products of pairs of bf16.
  llvm::StringLiteral bf16Dots;
  /// Registers LLVM's code generator for the architecture. It may be called several times.
  void (*initialize)();
  /// Returns whether code for the CPU `native` may use a feature that LLVM finds on this machine. The operating system
  /// may refuse programs the use of a feature, such as AMX.
  bool (*isInNative)(llvm::StringRef feature);
  /// Emits code that detects the features of the CPU at run time and returns HEDDLE_UNSUPPORTED_CPU if one of
  /// `features` is missing, or if the operating system does not permit its use.
  void (*emitCheck)(EntryBuilder &builder, llvm::ArrayRef<std::string> features);
};

// Declares one function, such as getX86() (X86.cpp), for each architecture that CMakeLists.txt lists.
#define HEDDLE_ARCHITECTURE(Name) CpuArchitecture get##Name();
#include "Architectures.inc"
#undef HEDDLE_ARCHITECTURE

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
