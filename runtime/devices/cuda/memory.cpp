//===- memory.cpp - memories, staging and copies --------------------------===//

#include "cuda.h"

using namespace heddle;

heddle_status CudaMemory::create(uint64_t size) {
  CudaScope scope(cuda);
  return scope.status ? scope.status : cuda.f.check(cuda.f.cuMemAlloc(&address, size), "cuMemAlloc");
}

CudaMemory::~CudaMemory() {
  if (!address || isWrapped)
    return;
  CudaScope scope(cuda);
  if (scope.status)
    return;
  // Work of other code may still use the bytes. If a wait for this work is refused, for example while a framework
  // captures a graph, the bytes stay allocated.
  if (!isShared || cuda.f.cuCtxSynchronize() == CUDA_SUCCESS)
    cuda.f.cuMemFree(address);
}

// Uploads and downloads are asynchronous copies on a stream, because a wait for the stream ends only when all bytes
// have arrived. CUDA's copy functions without a stream may return earlier. `host` need not be page-locked: CUDA copies
// other memory through a page-locked buffer of its own.
heddle_status CudaMemory::upload(uint64_t offset, const void *host, uint64_t size) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  CUstream stream = cuda.transfers->stream;
  if (auto status = cuda.f.check(cuda.f.cuMemcpyHtoDAsync(address + offset, host, size, stream), "cuMemcpyHtoDAsync"))
    return status;
  return cuda.transfers->wait();
}

heddle_status CudaMemory::download(uint64_t offset, void *host, uint64_t size) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  CUstream stream = cuda.transfers->stream;
  if (auto status = cuda.f.check(cuda.f.cuMemcpyDtoHAsync(host, address + offset, size, stream), "cuMemcpyDtoHAsync"))
    return status;
  return cuda.transfers->wait();
}

heddle_status CudaStaging::create(CudaDriver &owner, uint64_t size) {
  driver = &owner;
  void *address = nullptr;
  if (auto status = driver->f.check(driver->f.cuMemHostAlloc(&address, size, 0), "cuMemHostAlloc"))
    return status;
  bytes = static_cast<char *>(address);
  return HEDDLE_OK;
}

CudaStaging::~CudaStaging() {
  if (!bytes)
    return;
  CudaScope scope(*driver);
  if (!scope.status)
    driver->f.cuMemFreeHost(bytes);
}
