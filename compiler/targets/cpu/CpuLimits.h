//===- CpuLimits.h - numbers that depend on the CPU -------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPULIMITS_H
#define HEDDLE_TARGETS_CPU_CPULIMITS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle {

/// How many vector registers there are, and of how many bits each.
struct VectorRegisters {
  int64_t count, bits;
};

/// The limits (TargetFacts.h) of the CPU that LLVM calls `cpu`, for code with these registers.
/// One that nobody measured gets values that lose little on any.
std::map<std::string, int64_t> getCpuLimits(llvm::StringRef cpu, VectorRegisters vectors);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPULIMITS_H
