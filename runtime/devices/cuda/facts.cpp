//===- facts.cpp - reads the limits of a CUDA device ----------------------===//

#include "facts.h"

#include <stdio.h>
#include <string.h>

using namespace heddle;

heddle_status heddle::readFacts(const CudaFunctions &f, CUdevice device, CudaFacts &facts) {
  facts = {};
  if (auto status = f.check(f.cuDeviceGetName(facts.name, sizeof facts.name - 1, device), "cuDeviceGetName"))
    return status;
  size_t memory = 0;
  if (auto status = f.check(f.cuDeviceTotalMem(&memory, device), "cuDeviceTotalMem"))
    return status;
  heddle_status status = HEDDLE_OK;
  auto read = [&](int attribute) {
    int value = 0;
    if (!status)
      status = f.check(f.cuDeviceGetAttribute(&value, CUdevice_attribute(attribute), device), "cuDeviceGetAttribute");
    return value > 0 ? uint64_t(value) : 0;
  };
  heddle_device_limits &limits = facts.limits;
  limits.memory = limits.memory_size = limits.view_size = memory;
  limits.alignment = 256;    // the alignment of addresses from cuMemAlloc
  limits.buffers = 4096 / 8; // a kernel has at most 4 KiB of parameters, and an address has 8 bytes
  limits.workgroup_memory = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.workgroup_threads = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int i = 0; i < 3; ++i) {
    limits.workgroup_size[i] = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
    limits.workgroup_count[i] = read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
  }
  limits.subgroup_size = read(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  facts.architecture = unsigned(10 * read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                                read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  return status;
}

heddle_status heddle::readCandidate(const CudaFunctions &f, int number, Candidate &candidate) {
  candidate = {};
  candidate.rank = number;
  CUdevice device = 0;
  if (auto status = f.check(f.cuDeviceGet(&device, number), "cuDeviceGet"))
    return status;
  if (auto status = f.check(f.cuDeviceGetName(candidate.name, sizeof candidate.name - 1, device), "cuDeviceGetName"))
    return status;
  CUuuid uuid = {};
  if (auto status = f.check(f.cuDeviceGetUuid(&uuid, device), "cuDeviceGetUuid"))
    return status;
  writeUuid(uuid.bytes, candidate.uuid);
  return HEDDLE_OK;
}
