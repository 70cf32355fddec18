// facts.h - the limits and the name of a CUDA device, which are read before a context is created on it.
#ifndef HEDDLE_DEVICES_CUDA_FACTS_H
#define HEDDLE_DEVICES_CUDA_FACTS_H

#include "../choose.h"
#include "functions.h"

namespace heddle {

// The properties of a device.
struct CudaFacts {
  heddle_device_limits limits;
  char name[256];
  unsigned architecture; // the compute capability times 10: 90 for 9.0, sm_90
};
// Reads the properties of a device.
heddle_status readFacts(const CudaFunctions &f, CUdevice device, CudaFacts &facts);

// Reads the properties by which device `number` is selected. CUDA lists the most capable device first.
heddle_status readCandidate(const CudaFunctions &f, int number, Candidate &candidate);

} // namespace heddle

#endif // HEDDLE_DEVICES_CUDA_FACTS_H
