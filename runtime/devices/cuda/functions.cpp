//===- functions.cpp - finds CUDA's driver and its functions --------------===//

#include "functions.h"

#include <dlfcn.h>

using namespace heddle;

CudaLibrary heddle::findCuda() {
  // The library is never closed, since threads that the driver has started continue to run its code.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(HEDDLE_UNSUPPORTED_DEVICE, "the CUDA driver cannot be loaded: %s", dlerror());
  return {library, dlsym};
}

heddle_status CudaFunctions::load(const CudaLibrary &library) {
  const char *missing = nullptr;
#define HEDDLE_LOAD(name, suffix, ...)                                                                                 \
  if (!(name = reinterpret_cast<decltype(name)>(library.find(library.handle, #name #suffix))))                         \
    missing = #name #suffix;
  HEDDLE_CUDA(HEDDLE_LOAD)
#undef HEDDLE_LOAD
  // An old driver lacks functions. The version is checked first, since an error about the version tells the user more
  // than the name of a missing function.
  if (cuDriverGetVersion && cuGetErrorName && cuGetErrorString) {
    if (auto status = check(cuDriverGetVersion(&version), "cuDriverGetVersion"))
      return status;
    if (version < oldest)
      return fail(HEDDLE_UNSUPPORTED_DEVICE, "the driver supports CUDA %d.%d, but %d.%d or later is needed",
                  version / 1000, version % 1000 / 10, oldest / 1000, oldest % 1000 / 10);
  }
  if (missing)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "CUDA's driver has no %s", missing);
  if (auto status = check(cuInit(0), "cuInit"))
    return status;
  if (auto status = check(cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return status;
  return count > 0 ? HEDDLE_OK : fail(HEDDLE_UNSUPPORTED_DEVICE, "CUDA lists no device");
}
