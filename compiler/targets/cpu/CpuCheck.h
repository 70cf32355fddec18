//===- CpuCheck.h - refuses a CPU without the compiled features -*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPUCHECK_H
#define HEDDLE_TARGETS_CPU_CPUCHECK_H

#include "abi/EntryBuilder.h"

namespace heddle {

class CpuTarget;

/// Returns HEDDLE_UNSUPPORTED_CPU where a feature is missing.
void emitCpuCheck(EntryBuilder &builder, const CpuTarget &target);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPUCHECK_H
