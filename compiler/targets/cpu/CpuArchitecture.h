//===- CpuArchitecture.h - what differs between families of CPUs -*- C++ -*-==//

#ifndef HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
#define HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H

#include "CpuLimits.h"
#include "abi/EntryBuilder.h"

#include "llvm/TargetParser/Triple.h"

namespace heddle {

struct CpuArchitecture {
  llvm::Triple::ArchType arch;
  /// LLVM's name for a CPU that has no more than every one of the architecture, and the features that it has.
  llvm::StringLiteral baseline, baselineFeatures;
  /// The CPUs that a library is for where nobody says.
  llvm::StringLiteral defaults;
  /// Names of CPUs, for who named an unknown one.
  llvm::StringLiteral examples;
  /// The features that Heddle's code uses beyond the baseline, as LLVM names them: others are left out, so that
  /// NAME_init can check every one.
  llvm::SmallVector<llvm::StringRef> checkedFeatures;
  /// The feature that converts between f16 and f32; empty: every CPU does.
  llvm::StringLiteral halfFeature;
  /// The vector registers of code with these features.
  VectorRegisters (*getVectors)(llvm::ArrayRef<std::string> features);
  /// Whether products of bytes are as cheap with an unsigned left side as with a signed one, or cheaper.
  bool (*hasUnsignedDots)(llvm::ArrayRef<std::string> features);
  /// Of how many bits the numbers are that rows had better have in products with bytes.
  int64_t (*getDotBits)(llvm::ArrayRef<std::string> features);
  /// The feature that multiplies pairs of bf16.
  llvm::StringLiteral bf16Dots;
  /// Makes LLVM know it.
  void (*initialize)();
  /// Writes what returns HEDDLE_UNSUPPORTED_CPU where one of these features is missing.
  void (*emitCheck)(EntryBuilder &builder, llvm::ArrayRef<std::string> features);
};

// getX86() of X86.cpp, and so on: those that CMakeLists.txt lists.
#define HEDDLE_ARCHITECTURE(Name) CpuArchitecture get##Name();
#include "Architectures.inc"
#undef HEDDLE_ARCHITECTURE

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPUARCHITECTURE_H
