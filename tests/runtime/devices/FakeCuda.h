// FakeCuda.h - a CUDA driver without a GPU, for tests of our driver and of programs: it keeps memory on the host,
// executes work when it is waited for, runs the kernels of kernels/*.ptx as host functions, and checks its caller.
#ifndef HEDDLE_TESTS_DEVICES_FAKECUDA_H
#define HEDDLE_TESTS_DEVICES_FAKECUDA_H

#include "devices/cuda/api.h"

#include <atomic>
#include <mutex>
#include <string>

namespace fake {

// The properties of the driver, one for the process. Changed only while no device is open.
struct Cuda {
  int version = 12040;   // version of CUDA
  int devices = 2;       // number of listed devices
  int architecture = 90; // of each device
  uint64_t memory = 8ull << 30;
  bool anyKernel = false; // unknown kernels do nothing
  // Maximum threads of a workgroup for a kernel's registers.
  int threads = 1024;

  // The number (from 0) of the call that fails, among those that can fail.
  std::atomic<int64_t> failing{-1};
  heddle::CUresult result = heddle::CUDA_ERROR_UNKNOWN; // the result of the failing call
  std::string failingFunction;                          // each call of this function fails as well
  std::atomic<int64_t> passing{0};                      // after this number of calls
  std::string missing;                                  // a symbol that is missing

  std::mutex mutex;                 // protects the rest
  std::string failed;               // the function that failed
  std::string mistake;              // the caller's violation of the API
  // Calls that can fail: all except those that free, and those that enter a context.
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> alive{0};    // objects that were not freed
  std::atomic<int64_t> compiled{0}; // number of compiled PTX texts
};
Cuda &cuda();

// Finds its functions, like dlsym.
void *find(void *handle, const char *symbol);

// Whether the calling thread's context stack is empty.
bool hasNoContext();

// A workgroup of a kernel, and the host addresses of its buffers.
struct Group {
  uint32_t id[3], count[3], threads[3];
  char *const *buffers;
  uint32_t dynamicMemory;
};
using Kernel = void (*)(const Group &group);
Kernel findKernel(const std::string &name); // NULL if there is no kernel with this name

} // namespace fake

#endif // HEDDLE_TESTS_DEVICES_FAKECUDA_H
