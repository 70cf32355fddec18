// api.h - the part of CUDA's driver API that Heddle uses, declared here so that a build needs no toolkit. Values,
// layouts and names of symbols are those of <cuda.h> in CUDA 11.4, as the "CUDA Driver API" reference documents them;
// later drivers keep them.
#ifndef HEDDLE_DEVICES_CUDA_API_H
#define HEDDLE_DEVICES_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

namespace heddle {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUlinkState = struct CUlinkState_st *;
struct CUuuid {
  uint8_t bytes[16];
};

// Some results of the functions. errors.cpp maps results to statuses.
enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_UNKNOWN = 999
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2, // Y and Z follow
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,  // Y and Z follow
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};
enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};
enum CUpointer_attribute : int {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11, // of the allocation that contains the address
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12
};
// A value of CU_POINTER_ATTRIBUTE_MEMORY_TYPE.
constexpr unsigned CU_MEMORYTYPE_DEVICE = 2;
enum CUjit_option : int { CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };
enum CUjitInputType : int { CU_JIT_INPUT_PTX = 1 };
// A flag for streams: the stream does not wait for the default stream, which other code may use.
constexpr unsigned CU_STREAM_NON_BLOCKING = 1;

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void **kernelParams, **extra;
};

// Calls the macro X(name, suffix, parameters...) for each function that Heddle calls. The symbol of the function in the
// driver is the name followed by the suffix.
#define HEDDLE_CUDA(X)                                                                                                 \
  X(cuGetErrorName, , CUresult result, const char **text)                                                              \
  X(cuGetErrorString, , CUresult result, const char **text)                                                            \
  X(cuInit, , unsigned flags)                                                                                          \
  X(cuDriverGetVersion, , int *version)                                                                                \
  X(cuDeviceGet, , CUdevice *device, int number)                                                                       \
  X(cuDeviceGetAttribute, , int *value, CUdevice_attribute attribute, CUdevice device)                                 \
  X(cuDeviceGetCount, , int *count)                                                                                    \
  X(cuDeviceGetName, , char *name, int size, CUdevice device)                                                          \
  X(cuDeviceGetUuid, _v2, CUuuid *uuid, CUdevice device)                                                               \
  X(cuDeviceTotalMem, _v2, size_t *bytes, CUdevice device)                                                             \
  X(cuDevicePrimaryCtxRetain, , CUcontext *context, CUdevice device)                                                   \
  X(cuDevicePrimaryCtxRelease, _v2, CUdevice device)                                                                   \
  X(cuCtxPushCurrent, _v2, CUcontext context)                                                                          \
  X(cuCtxPopCurrent, _v2, CUcontext *context)                                                                          \
  X(cuCtxSynchronize, )                                                                                                \
  X(cuMemAlloc, _v2, CUdeviceptr *address, size_t size)                                                                \
  X(cuMemFree, _v2, CUdeviceptr address)                                                                               \
  X(cuPointerGetAttribute, , void *value, CUpointer_attribute attribute, CUdeviceptr address)                          \
  X(cuMemHostAlloc, , void **address, size_t size, unsigned flags)                                                     \
  X(cuMemFreeHost, , void *address)                                                                                    \
  X(cuMemcpyHtoDAsync, _v2, CUdeviceptr to, const void *from, size_t size, CUstream stream)                            \
  X(cuMemcpyDtoHAsync, _v2, void *to, CUdeviceptr from, size_t size, CUstream stream)                                  \
  X(cuMemcpyDtoDAsync, _v2, CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)                            \
  X(cuStreamCreate, , CUstream *stream, unsigned flags)                                                                \
  X(cuStreamDestroy, _v2, CUstream stream)                                                                             \
  X(cuStreamSynchronize, , CUstream stream)                                                                            \
  X(cuEventCreate, , CUevent *event, unsigned flags)                                                                   \
  X(cuEventDestroy, _v2, CUevent event)                                                                                \
  X(cuEventElapsedTime, , float *milliseconds, CUevent start, CUevent end)                                             \
  X(cuLinkCreate, _v2, unsigned count, CUjit_option *options, void **values, CUlinkState *state)                       \
  X(cuLinkAddData, _v2, CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,             \
    unsigned count, CUjit_option *options, void **values)                                                              \
  X(cuLinkComplete, , CUlinkState state, void **cubin, size_t *size)                                                   \
  X(cuLinkDestroy, , CUlinkState state)                                                                                \
  X(cuModuleLoadData, , CUmodule *module, const void *image)                                                           \
  X(cuModuleUnload, , CUmodule module)                                                                                 \
  X(cuModuleGetFunction, , CUfunction *function, CUmodule module, const char *name)                                    \
  X(cuFuncGetAttribute, , int *value, CUfunction_attribute attribute, CUfunction function)                             \
  X(cuFuncSetAttribute, , CUfunction function, CUfunction_attribute attribute, int value)                              \
  X(cuGraphCreate, , CUgraph *graph, unsigned flags)                                                                   \
  X(cuGraphDestroy, , CUgraph graph)                                                                                   \
  X(cuGraphAddKernelNode, , CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,                 \
    const CUDA_KERNEL_NODE_PARAMS *parameters)                                                                         \
  X(cuGraphAddEventRecordNode, , CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,            \
    CUevent event)                                                                                                     \
  X(cuGraphInstantiateWithFlags, , CUgraphExec *exec, CUgraph graph, unsigned long long flags)                         \
  X(cuGraphExecKernelNodeSetParams, , CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)   \
  X(cuGraphExecDestroy, , CUgraphExec exec)                                                                            \
  X(cuGraphLaunch, , CUgraphExec exec, CUstream stream)

} // namespace heddle

#endif // HEDDLE_DEVICES_CUDA_API_H
