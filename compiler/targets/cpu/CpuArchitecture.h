//===- CpuArchitecture.h - facts of a CPU architecture ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
#define HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H

#include "CpuLimits.h"
#include "abi/EntryBuilder.h"

#include "llvm/TargetParser/Triple.h"

namespace heddle {

struct CpuArchitecture {
  llvm::Triple::ArchType arch;
  /// LLVM's name for a CPU with only the features that all CPUs of the architecture have, and these features.
  llvm::StringLiteral baseline, baselineFeatures;
  /// The default CPUs of a library.
  llvm::StringLiteral defaults;
  /// Examples of CPU names, for the error about an unknown name.
  llvm::StringLiteral examples;
  /// The features that Heddle's code uses beyond the baseline, by LLVM's names. Others are not used, so that NAME_init
  /// can check every feature that the code needs.
  llvm::SmallVector<llvm::StringRef> checkedFeatures;
  /// The feature that converts between f16 and f32; empty: every CPU can.
  llvm::StringLiteral halfFeature;
  /// Returns the vector registers of code with these features.
  VectorRegisters (*getVectors)(llvm::ArrayRef<std::string> features);
  /// Returns whether products of bytes with an unsigned left side are at most as expensive as with a signed one.
  bool (*hasUnsignedDots)(llvm::ArrayRef<std::string> features);
  /// Returns the bits (8 or 16) that rounded rows should have in products with bytes.
  int64_t (*getDotBits)(llvm::ArrayRef<std::string> features);
  /// The feature for products of pairs of bf16.
  llvm::StringLiteral bf16Dots;
  /// Registers the architecture with LLVM.
  void (*initialize)();
  /// Emits code that returns HEDDLE_UNSUPPORTED_CPU if one of these features is missing.
  void (*emitCheck)(EntryBuilder &builder, llvm::ArrayRef<std::string> features);
};

// Declares getX86() (X86.cpp) and so on for each architecture that CMakeLists.txt lists.
#define HEDDLE_ARCHITECTURE(Name) CpuArchitecture get##Name();
#include "Architectures.inc"
#undef HEDDLE_ARCHITECTURE

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
