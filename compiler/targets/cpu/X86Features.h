//===- X86Features.h - x86-64 features and CPUID ----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_X86FEATURES_H
#define HEDDLE_TARGETS_CPU_X86FEATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A feature with LLVM's name, and the CPUID bit that reports it.
struct CpuidFeature {
  llvm::StringLiteral name;
  uint32_t leaf, subleaf;
  unsigned reg; // the register that contains the bit: eax, ebx, ecx or edx
  unsigned bit;
  uint64_t state; // the bits of XCR0 that must be set, so that the operating system saves the registers
};

/// Returns all features of x86-64 that Heddle's code uses.
llvm::ArrayRef<CpuidFeature> getX86Features();

/// A register of a CPUID leaf in which all bits of the mask must be set.
struct CpuidMask {
  uint32_t leaf, subleaf;
  unsigned reg;
  uint32_t mask;
};

/// Returns the CPUID masks that code must check for these features. Sets `state` to the bits of XCR0 that it must
/// check.
std::vector<CpuidMask> getCpuidMasks(llvm::ArrayRef<std::string> features, uint64_t &state);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_X86FEATURES_H
