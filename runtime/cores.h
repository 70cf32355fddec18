//===- cores.h - which physical cores this process may use ------*- C++ -*-===//

#ifndef HEDDLE_RUNTIME_CORES_H
#define HEDDLE_RUNTIME_CORES_H

#include <cstddef>

namespace heddle {

/// Writes to `cpus` one logical CPU for each physical core in the process's
/// affinity mask, in ascending order, at most `capacity`; returns how many
/// cores there are (at least 1, also where the mask cannot be read).
size_t physicalCores(int *cpus, size_t capacity);

/// The lowest logical CPU that shares a core with `cpu`; `cpu` itself where the kernel does
/// not say (containers without sysfs).
int coreOf(int cpu);

/// coreOf() each logical CPU that the process may run on; the others are cores of their own.
void coresOfCpus(short *cores, int count);

} // namespace heddle

#endif // HEDDLE_RUNTIME_CORES_H
