// functions.h - CUDA's driver, found when a device is opened: nothing of CUDA is linked.
#ifndef HEDDLE_DEVICES_CUDA_FUNCTIONS_H
#define HEDDLE_DEVICES_CUDA_FUNCTIONS_H

#include "../driver.h"
#include "api.h"

namespace heddle {

// Where its functions are looked for, as dlsym does.
struct CudaLibrary {
  void *handle;
  void *(*find)(void *handle, const char *symbol);
};
// libcuda.so.1, which stays loaded; without a handle where there is none, with the reason in lastError().
CudaLibrary findCuda();

struct CudaFunctions {
#define HEDDLE_MEMBER(name, suffix, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
  HEDDLE_CUDA(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER

  static constexpr int oldest = 11040; // CUDA 11.4: a graph has all that is used here
  int version = 0;                     // of CUDA that the driver has: 12040 is 12.4
  int count = 0;                       // devices, at least one

  // Finds and initialises all. Refuses a driver that is older, or has no device.
  heddle_status load(const CudaLibrary &library);
  // HEDDLE_OK, or the status that goes with what a function returned, with the driver's words.
  heddle_status check(CUresult result, const char *function) const;
};

} // namespace heddle

#endif // HEDDLE_DEVICES_CUDA_FUNCTIONS_H
