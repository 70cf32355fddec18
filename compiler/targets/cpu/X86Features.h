//===- X86Features.h - x86-64 features and CPUID ----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_X86FEATURES_H
#define HEDDLE_TARGETS_CPU_X86FEATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A CPU feature and the CPUID bit that reports it.
struct CpuidFeature {
  llvm::StringLiteral name; // LLVM's name of the feature
  uint32_t leaf, subleaf;   // the inputs of CPUID (eax and ecx)
  unsigned reg;   // the result register that contains the bit: eax (0), ebx (1), ecx (2) or edx (3)
  unsigned bit;   // the number of the bit, from 0 to 31
  uint64_t state; // the bits of XCR0 that are set if the operating system saves the registers of the feature
};

/// Returns the features of x86-64 that generated code may use, except those that every x86-64 CPU has.
llvm::ArrayRef<CpuidFeature> getX86Features();

/// A result register of CPUID, for one leaf and subleaf, in which all bits of `mask` must be set.
struct CpuidMask {
  uint32_t leaf, subleaf;
  unsigned reg; // as in CpuidFeature
  uint32_t mask;
};

/// Returns the CPUID masks that code must check before it uses the features with LLVM's names `features`. Sets `state`
/// to the bits of XCR0 that must be set for these features.
std::vector<CpuidMask> getCpuidMasks(llvm::ArrayRef<std::string> features, uint64_t &state);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_X86FEATURES_H
