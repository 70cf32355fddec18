// functions.h - CUDA's driver library, which is loaded when a device is opened, so libheddle does not link CUDA.
#ifndef HEDDLE_DEVICES_CUDA_FUNCTIONS_H
#define HEDDLE_DEVICES_CUDA_FUNCTIONS_H

#include "../driver.h"
#include "api.h"

namespace heddle {

// A library and a function like dlsym that looks up symbols in it.
struct CudaLibrary {
  void *handle;
  void *(*find)(void *handle, const char *symbol);
};
// Loads libcuda.so.1, which stays loaded. If the library cannot be loaded, the handle is null, and lastError() returns
// the reason.
CudaLibrary findCuda();

// The functions of CUDA's driver, as members with the names of the functions.
struct CudaFunctions {
#define HEDDLE_MEMBER(name, suffix, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
  HEDDLE_CUDA(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER

  static constexpr int oldest = 11040; // CUDA 11.4, the first version with all functions of HEDDLE_CUDA
  int version = 0;                     // the version of CUDA that the driver supports: 12040 is 12.4
  int count = 0;                       // the number of devices, at least one

  // Looks up all functions and initialises CUDA. Fails if the driver is older than CUDA 11.4, lacks a function, cannot
  // be initialised, or lists no device.
  heddle_status load(const CudaLibrary &library);
  // Returns the status that corresponds to the result of CUDA's function `function`. For a failure, the error text
  // contains the driver's description.
  heddle_status check(CUresult result, const char *function) const;
};

} // namespace heddle

#endif // HEDDLE_DEVICES_CUDA_FUNCTIONS_H
