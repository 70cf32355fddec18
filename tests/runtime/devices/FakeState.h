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

void mistake(const std::string &words);

enum Needs { Nothing, Context, Freeing }; // what a call needs; Freeing: the call frees an object
// `enter` begins a call that can fail. `leave` begins a call that destroys an object, which needs a context, too.
heddle::CUresult enter(const char *function, Needs needs);
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
