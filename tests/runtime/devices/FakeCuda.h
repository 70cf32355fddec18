// FakeCuda.h - a driver of CUDA without a GPU: it keeps memory on the host, does work when it is waited for, runs the
// kernels of kernels/*.ptx as functions of the host, and watches its caller. To test ours, and programs, by.
#ifndef HEDDLE_TESTS_DEVICES_FAKECUDA_H
#define HEDDLE_TESTS_DEVICES_FAKECUDA_H

#include "devices/cuda/api.h"

#include <atomic>
#include <mutex>
#include <string>

namespace fake {

// What the driver is like; one for the process. Changed only while no device is open.
struct Cuda {
  int version = 12040;   // of CUDA
  int devices = 2;       // that it lists
  int architecture = 90; // of each
  uint64_t memory = 8ull << 30;
  bool anyKernel = false; // those that it does not know do nothing
  int threads = 1024; // of a workgroup, that a kernel's registers suffice for

  std::atomic<int64_t> failing{-1};                     // the call that can fail and has this number, from 0, fails
  heddle::CUresult result = heddle::CUDA_ERROR_UNKNOWN; // with this
  std::string failingFunction;                          // so does each call of this function
  std::atomic<int64_t> passing{0};                      // after so many
  std::string missing;                                  // a symbol that there is not

  std::mutex mutex;                 // for the rest
  std::string failed;               // the function that failed
  std::string mistake;              // what a caller must not do, and this one did
  std::atomic<int64_t> calls{0};    // that can fail: all but those that free, and by which a context is entered
  std::atomic<int64_t> alive{0};    // what was made and not freed
  std::atomic<int64_t> compiled{0}; // texts of PTX
};
Cuda &cuda();

// Finds its functions, as dlsym does.
void *find(void *handle, const char *symbol);

// Whether the calling thread's stack of contexts is empty.
bool hasNoContext();

// A workgroup of a kernel, and where its buffers lie on the host.
struct Group {
  uint32_t id[3], count[3], threads[3];
  char *const *buffers;
  uint32_t dynamicMemory;
};
using Kernel = void (*)(const Group &group);
Kernel findKernel(const std::string &name); // NULL: there is none of this name

} // namespace fake

#endif // HEDDLE_TESTS_DEVICES_FAKECUDA_H
