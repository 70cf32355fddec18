//===- cores.h - the physical cores that a process may use ------*- C++ -*-===//

#ifndef HEDDLE_RUNTIME_CORES_H
#define HEDDLE_RUNTIME_CORES_H

#include <cstddef>

namespace heddle {

/// Writes to `cpus` one logical CPU for each physical core in the process's affinity mask, in ascending order, and at
/// most `capacity` CPUs. Returns the number of cores, which is at least 1; it is 1 if the mask cannot be read.
size_t physicalCores(int *cpus, size_t capacity);

/// Returns the lowest logical CPU on the same core as `cpu`; `cpu` itself if the operating system does not provide the
/// topology (containers without sysfs).
int coreOf(int cpu);

/// Sets cores[cpu], for each logical CPU below `count`, to coreOf(cpu) if the process may run on the CPU, and to `cpu`
/// otherwise (or if the affinity mask cannot be read). Logical CPUs that the process may use have equal numbers if they
/// are on the same core.
void coresOfCpus(short *cores, int count);

} // namespace heddle

#endif // HEDDLE_RUNTIME_CORES_H
