// FakeCuda.h - a CUDA driver that needs no GPU, to test Heddle's driver and programs that use it. Its device memory is
// host memory, it executes work only when the caller waits for it, it runs the kernels of kernels/*.ptx as host
// functions, and it detects wrong uses of the API.
#ifndef HEDDLE_TESTS_DEVICES_FAKECUDA_H
#define HEDDLE_TESTS_DEVICES_FAKECUDA_H

#include "devices/cuda/api.h"

#include <atomic>
#include <mutex>
#include <string>

namespace fake {

// The properties of the driver. There is one object for the process, which is changed only while no device is open.
struct Cuda {
  int version = 12040;   // the version of CUDA
  int devices = 2;       // the number of devices that are listed
  int architecture = 90; // the architecture of each device
  uint64_t memory = 8ull << 30; // the bytes of device memory
  bool anyKernel = false;       // whether unknown kernels can be loaded and do nothing
  // The largest workgroup that the registers of a kernel allow, in threads.
  int threads = 1024;

  // The number (from 0) of the call that fails, among those that can fail.
  std::atomic<int64_t> failing{-1};
  heddle::CUresult result = heddle::CUDA_ERROR_UNKNOWN; // the result of the failing call
  std::string failingFunction;                          // calls of this function fail as well, ...
  std::atomic<int64_t> passing{0};                      // ... but this number of calls succeeds first
  std::string missing;                                  // a symbol that is not found

  std::mutex mutex;                 // protects the members below that are not atomic
  std::string failed;               // the function that failed
  std::string mistake;              // the caller's violation of the API
  // The number of calls that can fail. Functions that free an object or enter a context cannot fail, so they do not
  // count.
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> alive{0};    // objects that were not freed
  std::atomic<int64_t> compiled{0}; // number of compiled PTX texts
};
Cuda &cuda();

// Returns a function of the driver, like dlsym.
void *find(void *handle, const char *symbol);

// Returns whether the context stack of the calling thread is empty.
bool hasNoContext();

// A workgroup of a kernel: its index, the number of workgroups, its threads, and the host addresses of its buffers.
struct Group {
  uint32_t id[3], count[3], threads[3];
  char *const *buffers;
  uint32_t dynamicMemory; // bytes
};
using Kernel = void (*)(const Group &group);
Kernel findKernel(const std::string &name); // NULL if there is no kernel with this name

} // namespace fake

#endif // HEDDLE_TESTS_DEVICES_FAKECUDA_H
