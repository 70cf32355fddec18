//===- CpuLimits.h - numbers that depend on the CPU -------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPULIMITS_H
#define HEDDLE_TARGETS_CPU_CPULIMITS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle {

/// The limits (TargetFacts.h) of the CPU that LLVM calls `cpu`, for code with vectors of 512 or 256 bits.
/// One that nobody measured gets values that lose little on any.
std::map<std::string, int64_t> getCpuLimits(llvm::StringRef cpu, bool avx512);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPULIMITS_H
