// facts.h - what a device can do, read before anything is made on it.
#ifndef HEDDLE_DEVICES_CUDA_FACTS_H
#define HEDDLE_DEVICES_CUDA_FACTS_H

#include "../choose.h"
#include "functions.h"

namespace heddle {

struct CudaFacts {
  heddle_device_limits limits;
  char name[256];
  unsigned architecture; // 90: sm_90
};
heddle_status readFacts(const CudaFunctions &f, CUdevice device, CudaFacts &facts);

// What device `number` is chosen by: CUDA lists the most capable first.
heddle_status readCandidate(const CudaFunctions &f, int number, Candidate &candidate);

} // namespace heddle

#endif // HEDDLE_DEVICES_CUDA_FACTS_H
