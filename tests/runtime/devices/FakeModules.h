// FakeModules.h - a kernel of a loaded module (CUfunction) of the fake CUDA driver.
#ifndef HEDDLE_TESTS_DEVICES_FAKEMODULES_H
#define HEDDLE_TESTS_DEVICES_FAKEMODULES_H

#include "FakeState.h"

namespace heddle {
struct CUfunc_st {
  fake::Kernel kernel = nullptr;     // the host function that runs a workgroup; NULL: Cuda::interpreter runs it
  const std::string *text = nullptr; // the PTX of the module
  std::string name;
  size_t parameters = 0;                // the number of parameters, each the device address of a buffer
  unsigned maxDynamicMemory = 48 << 10; // bytes; cuFuncSetAttribute can increase this maximum
};
} // namespace heddle

#endif // HEDDLE_TESTS_DEVICES_FAKEMODULES_H
