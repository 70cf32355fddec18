//===- context.cpp - makes a CUDA context current -------------------------===//

#include "cuda.h"

#include <unistd.h>

using namespace heddle;

// Makes the device's context current. Fails in the child of a fork, where the behaviour of CUDA's driver is undefined.
static heddle_status enter(const CudaDriver &driver) {
  if (getpid() != driver.process)
    return fail(HEDDLE_DEVICE_ERROR,
                "%s was opened before a fork: only the process that opened a CUDA device can use it", driver.name);
  return driver.f.check(driver.f.cuCtxPushCurrent(driver.context), "cuCtxPushCurrent");
}

CudaScope::CudaScope(const CudaDriver &driver) : status(enter(driver)), f(driver.f) {}

CudaScope::~CudaScope() {
  CUcontext left = nullptr;
  if (!status)
    f.cuCtxPopCurrent(&left);
}

heddle_status CudaStream::create(CudaDriver &owner) {
  driver = &owner;
  return driver->f.check(driver->f.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

heddle_status CudaStream::wait() {
  return driver->f.check(driver->f.cuStreamSynchronize(stream), "cuStreamSynchronize");
}

CudaStream::~CudaStream() {
  if (!stream)
    return;
  CudaScope scope(*driver);
  if (!scope.status)
    driver->f.cuStreamDestroy(stream);
}
