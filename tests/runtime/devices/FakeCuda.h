// FakeCuda.h - a fake of CUDA's driver that needs no GPU, to test the code in runtime/devices/cuda and programs that
// open CUDA devices. Its device memory is host memory. It executes work only when a call waits for the work, runs the
// kernels of kernels/*.ptx as host functions (or all kernels with an interpreter), and detects wrong uses of the API.
#ifndef HEDDLE_TESTS_DEVICES_FAKECUDA_H
#define HEDDLE_TESTS_DEVICES_FAKECUDA_H

#include "devices/cuda/api.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace heddle {
struct CUfunc_st;
}
namespace fake {

// Executes a launch of a kernel. The addresses are those of the kernel's buffers. On failure, records a mistake.
using Launcher = heddle::CUresult (*)(const heddle::CUfunc_st &function, const heddle::CUDA_KERNEL_NODE_PARAMS &node,
                                      const std::vector<heddle::CUdeviceptr> &addresses);

// The properties of the fake driver, and counts. There is one object for the process. A changed `version`, `devices` or
// `architecture` affects only devices that are opened later.
struct Cuda {
  int version = 12040;   // the version of CUDA, as cuDriverGetVersion returns it: 12.4
  int devices = 2;       // the number of devices that are listed
  int architecture = 90; // the compute capability of each device: 9.0
  uint64_t memory = 8ull << 30; // the size of device memory in bytes, of all devices together
  bool anyKernel = false;       // whether unknown kernels can be loaded and do nothing
  Launcher interpreter = nullptr; // executes unknown kernels (FakeInterpreter.cpp); NULL: there is no interpreter
  // The largest workgroup that the registers of a kernel allow, in threads.
  int threads = 1024;

  // The number (from 0) of the call that fails, among the calls that can fail; -1: no call fails.
  std::atomic<int64_t> failing{-1};
  heddle::CUresult result = heddle::CUDA_ERROR_UNKNOWN; // the result of the failing call
  std::string failingFunction;                          // calls of this function fail as well, ...
  std::atomic<int64_t> passing{0};                      // ... but this number of calls succeeds first
  std::string missing;                                  // a symbol that is not found

  std::mutex mutex;                 // protects the members below that are not atomic
  std::string failed;               // the function that failed
  std::string mistake;              // the first violation of the API by the caller, or ""
  // The number of calls so far that `failing` counts. Calls that free an object, or enter or leave a context, are not
  // counted.
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> alive{0};    // the number of objects and memories that were not freed
  std::atomic<int64_t> compiled{0}; // the number of compiled PTX texts
  bool isLogging = false;           // whether `log` records calls
  std::string log;                  // the names of the functions that were called, separated by blanks
};
Cuda &cuda();

// Returns the address of a function of the fake driver, like dlsym; NULL if there is none. `handle` is ignored.
void *find(void *handle, const char *symbol);

// Returns whether the context stack of the calling thread is empty.
bool hasNoContext();

// A workgroup of a kernel: its index, the number of workgroups and the number of its threads in each dimension, and the
// host addresses of its buffers.
struct Group {
  uint32_t id[3], count[3], threads[3];
  char *const *buffers;
  uint32_t dynamicMemory; // the size of dynamic shared memory in bytes
};
// Runs all threads of a workgroup.
using Kernel = void (*)(const Group &group);
Kernel findKernel(const std::string &name); // NULL if there is no kernel with this name

} // namespace fake

#endif // HEDDLE_TESTS_DEVICES_FAKECUDA_H
