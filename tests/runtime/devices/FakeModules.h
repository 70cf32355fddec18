// FakeModules.h - a function of FakeCuda's.
#ifndef HEDDLE_TESTS_DEVICES_FAKEMODULES_H
#define HEDDLE_TESTS_DEVICES_FAKEMODULES_H

#include "FakeState.h"

namespace heddle {
struct CUfunc_st {
  fake::Kernel kernel = nullptr;
  size_t parameters = 0;
  unsigned mostDynamicMemory = 48 << 10; // unless more is asked for
};
} // namespace heddle

#endif // HEDDLE_TESTS_DEVICES_FAKEMODULES_H
