//===- sharing.cpp - memory that other code uses, too ---------------------===//
//
// Other code, such as a framework, allocates memory in the same primary context and has its own streams. Heddle copies
// from and to this memory on its own streams, so the host waits where the order of the work matters.
//
//===----------------------------------------------------------------------===//

#include "cuda.h"

#include "../checks.h"

#include <inttypes.h>
#include <new>

using namespace heddle;

heddle_status CudaMemory::wrap(CUdeviceptr at, uint64_t bytes) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  const CudaFunctions &f = cuda.f;
  auto read = [&](void *value, CUpointer_attribute attribute) {
    return f.check(f.cuPointerGetAttribute(value, attribute, at), "cuPointerGetAttribute");
  };
  unsigned type = 0;
  CUresult known = f.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at);
  if (known == CUDA_ERROR_INVALID_VALUE || (known == CUDA_SUCCESS && type != CU_MEMORYTYPE_DEVICE))
    return fail(HEDDLE_INVALID_ARGUMENT, "the address 0x%llx is not in the memory of a CUDA device", at);
  if (auto status = f.check(known, "cuPointerGetAttribute"))
    return status;
  int ordinal = 0;
  if (auto status = read(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL))
    return status;
  if (ordinal != cuda.number)
    return fail(HEDDLE_INVALID_ARGUMENT, "the memory lies on cuda:%d, expected memory on %s", ordinal, cuda.name);
  // Memory of a pool and memory that is mapped to a reserved address belong to no context.
  CUcontext owner = nullptr;
  if (f.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, at) == CUDA_SUCCESS && owner &&
      owner != cuda.context)
    return fail(HEDDLE_INVALID_ARGUMENT, "the memory belongs to another context than the primary context of %s",
                cuda.name);
  CUdeviceptr start = 0;
  size_t range = 0;
  if (auto status = read(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR))
    return status;
  if (auto status = read(&range, CU_POINTER_ATTRIBUTE_RANGE_SIZE))
    return status;
  if (!liesWithin(at - start, bytes, range))
    return fail(HEDDLE_INVALID_ARGUMENT,
                "%" PRIu64 " bytes at byte %llu of an allocation of %zu bytes extend beyond its end", bytes, at - start,
                range);
  address = at;
  isWrapped = true;
  return HEDDLE_OK;
}

heddle_status CudaMemory::share(uint64_t &shared) {
  shared = address;
  isShared = true;
  return HEDDLE_OK;
}

heddle_status CudaDriver::wrap(uint64_t address, uint64_t size, heddle_memory *&memory) {
  std::unique_ptr<CudaMemory> made(new (std::nothrow) CudaMemory(*this));
  if (!made)
    return failOutOfHostMemory();
  if (auto status = made->wrap(address, size))
    return status;
  memory = made.release();
  return HEDDLE_OK;
}

heddle_status CudaDriver::stream(uint64_t &stream) {
  stream = reinterpret_cast<uintptr_t>(transfers->stream);
  return HEDDLE_OK;
}

heddle_status CudaDriver::wait(uint64_t stream) {
  CudaScope scope(*this);
  if (scope.status)
    return scope.status;
  return stream ? f.check(f.cuStreamSynchronize(reinterpret_cast<CUstream>(stream)), "cuStreamSynchronize")
                : f.check(f.cuCtxSynchronize(), "cuCtxSynchronize");
}
