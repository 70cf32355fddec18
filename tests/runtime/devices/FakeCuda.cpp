//===- FakeCuda.cpp - fake CUDA driver: devices, memory -------------------===//

#include "FakeCuda.h"
#include "FakeState.h"

#include <cstring>
#include <vector>

using namespace fake;
using namespace heddle;

Cuda &fake::cuda() {
  static Cuda cuda;
  return cuda;
}
State &fake::state() {
  static State state;
  return state;
}

Streams &fake::streams() {
  static Streams streams;
  return streams;
}

// Contexts are numbers. The primary context of device N is (N + 1) * primaryContext, and a context that cuCtxCreate
// makes on it is (N + 1) * otherContext.
static constexpr uintptr_t primaryContext = 0x100, otherContext = 0x10000;
static CUcontext contextOn(CUdevice device, uintptr_t kind) {
  return reinterpret_cast<CUcontext>(uintptr_t(device + 1) * kind);
}
static CUdevice deviceOf(CUcontext context) {
  uintptr_t number = reinterpret_cast<uintptr_t>(context);
  return CUdevice(number / (number < otherContext ? primaryContext : otherContext)) - 1;
}
static std::atomic<int64_t> retained{0};             // how often a primary context is retained
static thread_local std::vector<CUcontext> contexts; // the context stack of the thread, its top last

// Returns whether a context of a device is current.
static bool hasContext() {
  uintptr_t number = contexts.empty() ? 0 : reinterpret_cast<uintptr_t>(contexts.back());
  return number >= otherContext || (number >= primaryContext && retained > 0);
}

static void note(const char *function) {
  if (!cuda().isLogging)
    return;
  std::lock_guard<std::mutex> lock(cuda().mutex);
  cuda().log += std::string(cuda().log.empty() ? "" : " ") + function;
}

bool fake::hasNoContext() { return contexts.empty(); }

void fake::mistake(const std::string &words) {
  std::lock_guard<std::mutex> lock(cuda().mutex);
  if (cuda().mistake.empty())
    cuda().mistake = words;
}

CUresult fake::enter(const char *function, Needs needs) {
  note(function);
  if (needs == Context && !hasContext())
    mistake(std::string(function) + ": no context is current");
  std::lock_guard<std::mutex> lock(cuda().mutex);
  bool isFailing = needs != Freeing && cuda().calls++ == cuda().failing;
  if (!isFailing && (function != cuda().failingFunction || cuda().passing-- > 0))
    return CUDA_SUCCESS;
  cuda().failed = function;
  return cuda().result;
}

void fake::leave(const char *function) {
  note(function);
  if (!hasContext())
    mistake(std::string(function) + ": no context is current");
}

namespace heddle {
extern "C" {

CUresult cuGetErrorName(CUresult result, const char **text) {
  *text = result == CUDA_ERROR_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == CUDA_ERROR_INVALID_PTX     ? "CUDA_ERROR_INVALID_PTX"
          : result == CUDA_ERROR_NO_DEVICE       ? "CUDA_ERROR_NO_DEVICE"
          : result == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == CUDA_ERROR_UNKNOWN         ? "CUDA_ERROR_UNKNOWN"
                                                 : nullptr;
  return *text ? CUDA_SUCCESS : CUresult(1);
}
CUresult cuGetErrorString(CUresult result, const char **text) {
  *text = result == CUDA_ERROR_OUT_OF_MEMORY     ? "out of memory"
          : result == CUDA_ERROR_INVALID_PTX     ? "a PTX JIT compilation failed"
          : result == CUDA_ERROR_NO_DEVICE       ? "no CUDA-capable device is detected"
          : result == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                                 : "unknown error";
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned) {
  ENTER(Nothing);
  return cuda().devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
CUresult cuDriverGetVersion(int *version) {
  ENTER(Nothing);
  *version = cuda().version;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  ENTER(Nothing);
  *count = cuda().devices;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int number) {
  ENTER(Nothing);
  *device = number;
  return number < cuda().devices ? CUDA_SUCCESS : CUresult(101);
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  ENTER(Nothing);
  snprintf(name, size_t(size), "Fake GPU %c", 'A' + device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  ENTER(Nothing);
  memset(uuid->bytes, 0xa0 + device, sizeof uuid->bytes);
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  ENTER(Nothing);
  *bytes = cuda().memory;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  ENTER(Nothing);
  switch (int(attribute)) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1:
    *value = 1024;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2:
    *value = 64;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    *value = 0x7fffffff;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2:
    *value = 65535;
    break;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    *value = 32;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = cuda().architecture / 10;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = cuda().architecture % 10;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 227 << 10;
    break;
  default:
    return CUresult(1);
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(Nothing);
  ++retained;
  ++cuda().alive;
  *context = contextOn(device, primaryContext);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  if (--retained < 0)
    mistake("cuDevicePrimaryCtxRelease: the primary context is not retained");
  --cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate_v2(CUcontext *context, unsigned, CUdevice device) {
  ENTER(Nothing);
  *context = contextOn(device, otherContext);
  contexts.push_back(*context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  ENTER(Freeing);
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (contexts.empty())
    return mistake("cuCtxPopCurrent: the stack of contexts is empty"), CUresult(201);
  *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}

// A device address is not a host address: deviceBit marks it, so that the host cannot dereference it.
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  ENTER(Context);
  std::lock_guard<std::mutex> lock(state().mutex);
  if (size > cuda().memory - state().used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  state().used += size;
  std::unique_ptr<char[]> bytes(new char[size]); // contents are undefined, as on a device
  *address = reinterpret_cast<uintptr_t>(bytes.get()) | deviceBit;
  state().memories[*address] = {size, std::move(bytes), contexts.empty() ? nullptr : contexts.back()};
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  leave(__func__);
  std::lock_guard<std::mutex> lock(state().mutex);
  auto found = state().memories.find(address);
  if (found == state().memories.end())
    return mistake("cuMemFree: there is no such memory"), CUresult(1);
  state().used -= found->second.size;
  state().memories.erase(found);
  --cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  ENTER(Context);
  size_t offset = 0;
  const Bytes *memory = allocationOf(address, offset);
  if (!memory)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *static_cast<CUcontext *>(value) = memory->context;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(value) = CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(value) = deviceOf(memory->context);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *static_cast<CUdeviceptr *>(value) = address - offset;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *static_cast<size_t *>(value) = memory->size;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostAlloc(void **address, size_t size, unsigned) {
  ENTER(Context);
  char *bytes = new char[size];
  *address = bytes;
  std::lock_guard<std::mutex> lock(state().mutex);
  state().pinned[bytes] = {size, std::unique_ptr<char[]>(bytes), nullptr};
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void *address) {
  leave(__func__);
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().pinned.erase(static_cast<char *>(address)))
    return mistake("cuMemFreeHost: there is no such memory"), CUresult(1);
  --cuda().alive;
  return CUDA_SUCCESS;
}

} // extern "C"
} // namespace heddle

const Bytes *fake::allocationOf(CUdeviceptr address, size_t &offset) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto after = state().memories.upper_bound(address);
  if (after == state().memories.begin())
    return nullptr;
  auto &[start, memory] = *std::prev(after);
  offset = address - start;
  return offset < memory.size ? &memory : nullptr;
}

char *fake::hostOf(CUdeviceptr address, size_t size) {
  size_t offset = 0;
  const Bytes *memory = allocationOf(address, offset);
  if (!memory)
    return mistake("an address outside of device memory"), nullptr;
  if (size > memory->size - offset)
    return mistake("bytes outside of an allocation of device memory"), nullptr;
  return memory->bytes.get() + offset;
}

bool fake::isPinned(const void *address, size_t size) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto *bytes = static_cast<char *>(const_cast<void *>(address));
  auto after = state().pinned.upper_bound(bytes);
  if (after == state().pinned.begin())
    return false;
  auto &[start, memory] = *std::prev(after);
  return bytes + size <= start + memory.size;
}

void *fake::find(void *, const char *symbol) {
  if (symbol == cuda().missing)
    return nullptr;
#define FIND(name, suffix, ...)                                                                                        \
  if (strcmp(symbol, #name #suffix) == 0)                                                                              \
    return reinterpret_cast<void *>(name##suffix);
  HEDDLE_CUDA(FIND)
  HEDDLE_CUDA_OF_OTHERS(FIND)
#undef FIND
  return nullptr;
}
