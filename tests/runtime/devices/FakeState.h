// FakeState.h - state that the parts of the fake CUDA driver share.
#ifndef HEDDLE_TESTS_DEVICES_FAKESTATE_H
#define HEDDLE_TESTS_DEVICES_FAKESTATE_H

#include "FakeCuda.h"

#include <map>
#include <memory>

namespace heddle {
extern "C" {
#define HEDDLE_DECLARE(name, suffix, ...) __attribute__((visibility("default"))) CUresult name##suffix(__VA_ARGS__);
HEDDLE_CUDA(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE
}
} // namespace heddle

namespace fake {

struct Bytes {
  size_t size;
  std::unique_ptr<char[]> bytes;
};
struct State {
  std::mutex mutex;
  uint64_t used = 0; // the bytes of device memory that are allocated
  std::map<heddle::CUdeviceptr, Bytes> memories;
  std::map<char *, Bytes> pinned; // pinned host memory
};
State &state();

constexpr heddle::CUdeviceptr deviceBit = 1ull << 55;
// Returns the host address of a range of device memory, or NULL if the range is not allocated.
char *hostOf(heddle::CUdeviceptr address, size_t size);
bool isPinned(const void *address, size_t size);

// Records a mistake of the driver's caller, if it is the first one (Cuda::mistake).
void mistake(const std::string &words);

// What a call needs. Context: a current context. Nothing: no context. Freeing: no context, and the call is not one of
// those that Cuda::failing counts, since objects could not be freed if it failed.
enum Needs { Nothing, Context, Freeing };
// Begins a call that can fail: returns the error of this call, or CUDA_SUCCESS. Records a mistake if the call needs a
// context and none is current.
heddle::CUresult enter(const char *function, Needs needs);
// Begins a call that destroys an object and cannot fail. Records a mistake if no context is current.
void leave(const char *function);
#define ENTER(needs)                                                                                                   \
  if (CUresult wrong = fake::enter(__func__, fake::needs))                                                             \
  return wrong

// Destroys an object that belongs to the caller.
template <typename Made> heddle::CUresult destroy(const char *function, Made *made) {
  leave(function);
  delete made;
  --cuda().alive;
  return heddle::CUDA_SUCCESS;
}

} // namespace fake

#endif // HEDDLE_TESTS_DEVICES_FAKESTATE_H
