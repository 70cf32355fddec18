//===- errors.cpp - maps CUDA's results to statuses -----------------------===//

#include "functions.h"

using namespace heddle;

static heddle_status statusOf(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS:
    return HEDDLE_OK;
  case CUDA_ERROR_OUT_OF_MEMORY:
    return HEDDLE_OUT_OF_DEVICE_MEMORY;
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
  case CUDA_ERROR_NOT_SUPPORTED:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    return HEDDLE_UNSUPPORTED_DEVICE;
  // After one of these errors, all later calls in the context fail, and a process cannot repair its context.
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return HEDDLE_DEVICE_LOST;
  default:
    return HEDDLE_DEVICE_ERROR;
  }
}

heddle_status CudaFunctions::check(CUresult result, const char *function) const {
  heddle_status status = statusOf(result);
  if (!status)
    return status;
  const char *name = nullptr, *words = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || cuGetErrorString(result, &words) != CUDA_SUCCESS || !name ||
      !words)
    return fail(status, "%s: CUresult %d", function, int(result));
  return fail(status, "%s: %s (%s)", function, words, name);
}
