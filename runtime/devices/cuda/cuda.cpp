//===- cuda.cpp - opens and closes a CUDA device --------------------------===//

#include "cuda.h"

#include "../create.h"

#include <new>
#include <stdio.h>
#include <unistd.h>

using namespace heddle;

// Stores the number of the device that `which` names; NULL names the most capable device.
static heddle_status chooseDevice(const CudaFunctions &f, const char *which, int &number) {
  std::unique_ptr<Candidate[]> candidates(new (std::nothrow) Candidate[size_t(f.count)]);
  if (!candidates)
    return failOutOfHostMemory();
  for (int i = 0; i < f.count; ++i)
    if (auto status = readCandidate(f, i, candidates[i]))
      return status;
  number = int(choose("cuda", candidates.get(), uint32_t(f.count), which));
  return number < 0 ? HEDDLE_INVALID_ARGUMENT : HEDDLE_OK;
}

heddle_status CudaDriver::open(const CudaLibrary &library, const char *which) {
  process = getpid();
  if (auto status = f.load(library))
    return status;
  if (auto status = chooseDevice(f, which, number))
    return status;
  if (auto status = f.check(f.cuDeviceGet(&device, number), "cuDeviceGet"))
    return status;
  if (auto status = readFacts(f, device, facts))
    return status;
  limits = facts.limits;
  table.format = "ptx";
  for (unsigned bit = 0; heddle_feature_name(bit); ++bit) // PTX has all features and rounds as IEEE 754 requires
    table.features |= uint64_t(1) << bit;
  hasTimers = true;
  snprintf(name, sizeof name, "cuda:%d", number);
  snprintf(description, sizeof description, "%s", facts.name);
  snprintf(version, sizeof version, "CUDA %d.%d, sm_%u", f.version / 1000, f.version % 1000 / 10, facts.architecture);
  if (auto status = f.check(f.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"))
    return status;
  CudaScope scope(*this);
  if (scope.status)
    return scope.status;
  transfers.reset(new (std::nothrow) CudaStream);
  return transfers ? transfers->create(*this) : failOutOfHostMemory();
}

CudaDriver::~CudaDriver() {
  transfers.reset();
  if (context && getpid() == process)
    f.cuDevicePrimaryCtxRelease(device);
}

heddle_status CudaDriver::allocate(uint64_t size, heddle_memory *&memory) {
  return create<CudaMemory>(memory, *this, size);
}

heddle_status CudaDriver::load(const heddle_program &program, heddle_code *&code) {
  return create<CudaCode>(code, *this, program);
}

heddle_status CudaDriver::saveCache(std::unique_ptr<char[]> &data, uint64_t &size) {
  return cubins.save(*this, data, size);
}

heddle_status CudaDriver::restoreCache(const char *data, uint64_t size) { return cubins.restore(*this, data, size); }

Driver *heddle::openCudaWith(const CudaLibrary &library, const char *which) {
  return heddle::open<CudaDriver>(library, which);
}

Driver *heddle::openCuda(const char *which) {
  CudaLibrary library = findCuda();
  return library.handle ? openCudaWith(library, which) : nullptr;
}

size_t heddle::countCuda() {
  CudaLibrary library = findCuda();
  CudaFunctions f;
  return !library.handle || f.load(library) ? 0 : size_t(f.count);
}
