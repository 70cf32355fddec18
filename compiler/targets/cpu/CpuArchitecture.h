//===- CpuArchitecture.h - facts of a CPU architecture ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
#define HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H

#include "CpuLimits.h"
#include "abi/EntryBuilder.h"

#include "llvm/TargetParser/Triple.h"

namespace heddle {

struct CpuArchitecture {
  llvm::Triple::ArchType arch;
  /// `baseline` is LLVM's name for a CPU that has only the features of every CPU of the architecture;
  /// `baselineFeatures` are these features.
  llvm::StringLiteral baseline, baselineFeatures;
  /// The default of --mcpu for a library: one or more names, separated by commas.
  llvm::StringLiteral defaults;
  /// Examples of CPU names, for the error about an unknown name.
  llvm::StringLiteral examples;
  /// LLVM's names of the features beyond the baseline that Heddle's code uses. It uses no other features, so that
  /// NAME_init can check every feature that the code needs.
  llvm::SmallVector<llvm::StringRef> checkedFeatures;
  /// The feature that converts between f16 and f32. It is empty if every CPU of the architecture can convert.
  llvm::StringLiteral halfFeature;
  /// Returns the number and the width of the vector registers that code for a CPU with these features uses.
  VectorRegisters (*getVectors)(llvm::ArrayRef<std::string> features);
  /// Returns whether dot products of bytes cost at most as much with an unsigned left operand as with a signed one.
  bool (*hasUnsignedDots)(llvm::ArrayRef<std::string> features);
  /// Returns the width in bits (8 or 16) of the integers to which the rows of a layer's input should be rounded for dot
  /// products with int8 weights.
  int64_t (*getDotBits)(llvm::ArrayRef<std::string> features);
  /// LLVM's name of the feature with instructions for dot products of pairs of bf16.
  llvm::StringLiteral bf16Dots;
  /// Registers the architecture with LLVM.
  void (*initialize)();
  /// Emits code that returns HEDDLE_UNSUPPORTED_CPU if one of these features is missing.
  void (*emitCheck)(EntryBuilder &builder, llvm::ArrayRef<std::string> features);
};

// Declares getX86() (X86.cpp) and the like for each architecture that CMakeLists.txt lists.
#define HEDDLE_ARCHITECTURE(Name) CpuArchitecture get##Name();
#include "Architectures.inc"
#undef HEDDLE_ARCHITECTURE

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
