//===- CpuLimits.h - measured facts of CPUs ---------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPULIMITS_H
#define HEDDLE_TARGETS_CPU_CPULIMITS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle {

/// The number of vector registers of a CPU, and the width of one register in bits.
struct VectorRegisters {
  int64_t count, bits;
};

/// Returns those target facts (TargetFacts.h) of a CPU that depend on its caches and vector registers, by name. `cpu`
/// is LLVM's name of the CPU. For a CPU that was not measured, returns values with which code loses little time on any
/// CPU.
std::map<std::string, int64_t> getCpuLimits(llvm::StringRef cpu, VectorRegisters vectors);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPULIMITS_H
