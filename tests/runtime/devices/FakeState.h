// FakeState.h - state that the parts of the fake CUDA driver share.
#ifndef HEDDLE_TESTS_DEVICES_FAKESTATE_H
#define HEDDLE_TESTS_DEVICES_FAKESTATE_H

#include "FakeCuda.h"

#include <map>
#include <memory>
#include <set>

// Functions of the driver that only tests call, in the role of other code that uses the device. See HEDDLE_CUDA.
#define HEDDLE_CUDA_OF_OTHERS(X)                                                                                       \
  X(cuCtxCreate, _v2, CUcontext *context, unsigned flags, CUdevice device)                                             \
  X(cuEventRecord, , CUevent event, CUstream stream)                                                                   \
  X(cuStreamWaitEvent, , CUstream stream, CUevent event, unsigned flags)

// Declares these functions, and the functions of the driver that Heddle uses (HEDDLE_CUDA in devices/cuda/api.h).
namespace heddle {
extern "C" {
#define HEDDLE_DECLARE(name, suffix, ...) __attribute__((visibility("default"))) CUresult name##suffix(__VA_ARGS__);
HEDDLE_CUDA(HEDDLE_DECLARE)
HEDDLE_CUDA_OF_OTHERS(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE
}
} // namespace heddle

namespace fake {

// An allocation of device memory or of pinned host memory.
struct Bytes {
  size_t size;
  std::unique_ptr<char[]> bytes;
  heddle::CUcontext context = nullptr; // the context of device memory
};
struct State {
  std::mutex mutex;  // protects the other members
  uint64_t used = 0; // the number of allocated bytes of device memory
  std::map<heddle::CUdeviceptr, Bytes> memories; // allocations of device memory by their device addresses
  std::map<char *, Bytes> pinned;                // allocations of pinned host memory by their addresses
};
State &state();

// All streams. The mutex is held while cuCtxSynchronize executes their work, which may look up streams.
struct Streams {
  std::recursive_mutex mutex;
  std::set<heddle::CUstream> all;
};
Streams &streams();

// A device address is the host address of its bytes with this bit set, so that the host cannot dereference it.
constexpr heddle::CUdeviceptr deviceBit = 1ull << 55;
// Returns the host address of a range of device memory. If the range is not allocated, returns NULL and records a
// mistake.
char *hostOf(heddle::CUdeviceptr address, size_t size);
// Returns the allocation that contains a device address, and stores the offset in it. Returns NULL if there is none.
const Bytes *allocationOf(heddle::CUdeviceptr address, size_t &offset);
// Returns whether a range lies in pinned host memory.
bool isPinned(const void *address, size_t size);

// Records a wrong use of the API in Cuda::mistake, unless an earlier one is recorded there.
void mistake(const std::string &words);

// The requirements of a call. Context: a context must be current. Nothing: no context is required. Freeing: no context
// is required, and Cuda::failing does not count the call, because a caller could not free its objects if the call
// failed.
enum Needs { Nothing, Context, Freeing };
// Must be called first in a function that can fail. Returns the error that the function must return, or CUDA_SUCCESS.
// Records a mistake if the function needs a context and none is current.
heddle::CUresult enter(const char *function, Needs needs);
// Must be called first in a function that destroys an object and cannot fail. Records a mistake if no context is
// current.
void leave(const char *function);
#define ENTER(needs)                                                                                                   \
  if (CUresult wrong = fake::enter(__func__, fake::needs))                                                             \
  return wrong

// Implements the driver's function with the name `function`, which destroys the object `made`.
template <typename Made> heddle::CUresult destroy(const char *function, Made *made) {
  leave(function);
  delete made;
  --cuda().alive;
  return heddle::CUDA_SUCCESS;
}

} // namespace fake

#endif // HEDDLE_TESTS_DEVICES_FAKESTATE_H
