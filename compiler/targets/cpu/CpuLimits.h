//===- CpuLimits.h - measured facts of CPUs ---------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPULIMITS_H
#define HEDDLE_TARGETS_CPU_CPULIMITS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle {

/// The number of vector registers, and the bits of one register.
struct VectorRegisters {
  int64_t count, bits;
};

/// Returns the target facts (TargetFacts.h) of the CPU with LLVM's name `cpu`, for code with these vector registers. A
/// CPU that was not measured gets values that cost little time on any CPU.
std::map<std::string, int64_t> getCpuLimits(llvm::StringRef cpu, VectorRegisters vectors);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPULIMITS_H
