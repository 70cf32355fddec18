// FakeModules.h - the CUfunction of the fake CUDA driver.
#ifndef HEDDLE_TESTS_DEVICES_FAKEMODULES_H
#define HEDDLE_TESTS_DEVICES_FAKEMODULES_H

#include "FakeState.h"

namespace heddle {
struct CUfunc_st {
  fake::Kernel kernel = nullptr;
  size_t parameters = 0;
  unsigned maxDynamicMemory = 48 << 10; // bytes; cuFuncSetAttribute can increase this maximum
};
} // namespace heddle

#endif // HEDDLE_TESTS_DEVICES_FAKEMODULES_H
