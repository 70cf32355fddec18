//===- code.cpp - loads PTX as kernels ------------------------------------===//

#include "cuda.h"

#include "../ptx.h"

#include <inttypes.h>
#include <new>

using namespace heddle;

heddle_status CudaCode::create(const heddle_program &program) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  modules.reset(new (std::nothrow) CUmodule[program.kernel_count]);
  kernels.reset(new (std::nothrow) CudaKernel[program.kernel_count]);
  if (!modules || !kernels)
    return failOutOfHostMemory();
  CodeBytes loaded; // the PTX of the last module; successive kernels with the same PTX share a module
  for (uint64_t i = 0; i < program.kernel_count; ++i) {
    const heddle_kernel &kernel = program.kernels[i];
    CodeBytes text = codeOf(program, kernel);
    if (!(text == loaded)) {
      PtxTarget target;
      if (auto status = readPtxTarget(text.begin, text.size, target))
        return status;
      if (auto status = checkPtxTarget(target, cuda.facts.architecture, cuda.name))
        return status;
      if (auto status = cuda.cubins.load(cuda, text.begin, text.size, modules[moduleCount]))
        return status;
      ++moduleCount;
      loaded = text;
    }
    if (auto status = createKernel(kernel, modules[moduleCount - 1], kernels[i]))
      return status;
  }
  return HEDDLE_OK;
}

heddle_status CudaCode::createKernel(const heddle_kernel &kernel, CUmodule module, CudaKernel &made) {
  const CudaFunctions &f = cuda.f;
  CUresult result = f.cuModuleGetFunction(&made.function, module, kernel.name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return fail(HEDDLE_INVALID_ARGUMENT, "the PTX has no kernel %s", kernel.name);
  if (auto status = f.check(result, "cuModuleGetFunction"))
    return status;
  auto read = [&](CUfunction_attribute attribute, int &value) {
    return f.check(f.cuFuncGetAttribute(&value, attribute, made.function), "cuFuncGetAttribute");
  };
  uint64_t threads = kernel.threads[0] * kernel.threads[1] * kernel.threads[2];
  int maximum = 0, declared = 0;
  if (auto status = read(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, maximum))
    return status;
  if (threads > uint64_t(maximum)) // a kernel with many registers supports fewer threads than the device
    return fail(HEDDLE_UNSUPPORTED_DEVICE,
                "%s: %" PRIu64 " threads in a workgroup, but its code supports at most %d on %s", kernel.name, threads,
                maximum, cuda.name);
  if (auto status = read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, declared))
    return status;
  for (int i = 0; i < 3; ++i)
    made.threads[i] = unsigned(kernel.threads[i]);
  if (kernel.workgroup_memory > uint64_t(declared))
    made.dynamicMemory = unsigned(kernel.workgroup_memory - uint64_t(declared));
  if (!made.dynamicMemory)
    return HEDDLE_OK;
  // A kernel can use more than 48 KiB of dynamic workgroup memory only if this attribute is set.
  return f.check(
      f.cuFuncSetAttribute(made.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(made.dynamicMemory)),
      "cuFuncSetAttribute");
}

CudaCode::~CudaCode() {
  CudaScope scope(cuda);
  if (scope.status)
    return;
  for (uint64_t i = 0; i < moduleCount; ++i)
    cuda.f.cuModuleUnload(modules[i]);
}
