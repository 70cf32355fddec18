//===- X86Features.h - features of x86-64 and how CPUID tells them -*- C++ -*-==//

#ifndef HEDDLE_TARGETS_CPU_X86FEATURES_H
#define HEDDLE_TARGETS_CPU_X86FEATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A feature by LLVM's name and the bit of CPUID that tells of it.
struct CpuidFeature {
  llvm::StringLiteral name;
  uint32_t leaf, subleaf;
  unsigned reg; // eax, ebx, ecx, edx
  unsigned bit;
  uint64_t state; // bits of XCR0 that the system must have set: registers it saves
};

/// The features that Heddle's code uses.
llvm::ArrayRef<CpuidFeature> getX86Features();

/// Words of CPUID that must have all bits of a mask set.
struct CpuidMask {
  uint32_t leaf, subleaf;
  unsigned reg;
  uint32_t mask;
};

/// What to check for these features, and the bits of XCR0 in `state`.
std::vector<CpuidMask> getCpuidMasks(llvm::ArrayRef<std::string> features, uint64_t &state);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_X86FEATURES_H
