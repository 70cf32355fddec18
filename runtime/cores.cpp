//===- cores.cpp - the physical cores that a process may use --------------===//

#include "cores.h"

#include "heddle/executor.h"

#include <sched.h>
#include <stdio.h>

namespace heddle {

int coreOf(int cpu) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  FILE *file = fopen(path, "re");
  if (!file)
    return cpu;
  int first = cpu;
  if (fscanf(file, "%d", &first) != 1)
    first = cpu;
  fclose(file);
  return first < 0 || first >= CPU_SETSIZE ? cpu : first;
}

void coresOfCpus(short *cores, int count) {
  cpu_set_t mask;
  bool known = sched_getaffinity(0, sizeof mask, &mask) == 0;
  for (int cpu = 0; cpu < count; ++cpu)
    cores[cpu] = short(known && CPU_ISSET(cpu, &mask) ? coreOf(cpu) : cpu);
}

size_t physicalCores(int *cpus, size_t capacity) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
    if (capacity)
      cpus[0] = 0;
    return 1;
  }
  cpu_set_t seen;
  CPU_ZERO(&seen);
  size_t count = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mask))
      continue;
    int core = coreOf(cpu);
    if (CPU_ISSET(core, &seen))
      continue;
    CPU_SET(core, &seen);
    if (count < capacity)
      cpus[count] = cpu;
    ++count;
  }
  return count ? count : 1;
}

} // namespace heddle

extern "C" size_t heddle_physical_cores(void) { return heddle::physicalCores(nullptr, 0); }
