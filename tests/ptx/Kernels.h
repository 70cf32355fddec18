// Kernels.h - executes PTX kernels of tests in the interpreter of PTX (compiler/ptx), which needs no GPU.
#ifndef HEDDLE_TESTS_PTX_KERNELS_H
#define HEDDLE_TESTS_PTX_KERNELS_H

#include "ptx/Launch.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace heddle::ptx {

/// A buffer that is passed to a kernel. The first constructor writes its contents. The second constructor leaves all
/// bytes unwritten, so that the interpreter reports an error if a kernel reads them.
class Buffer {
public:
  template <typename T> explicit Buffer(const std::vector<T> &values) : Buffer(values.size() * sizeof(T)) {
    std::memcpy(memory->at(0), values.data(), memory->size());
    memory->noteHostWrite(0, memory->size());
  }
  explicit Buffer(size_t bytes) : memory(Memory::create(bytes)) {}

  template <typename T> std::vector<T> values() const {
    std::vector<T> copy(memory->size() / sizeof(T));
    std::memcpy(copy.data(), memory->at(0), copy.size() * sizeof(T));
    return copy;
  }
  View view() const { return {memory.get(), 0, memory->size(), mayBeUnfilled}; }

  std::unique_ptr<Memory> memory;
  bool mayBeUnfilled = false; // The buffer is a state, whose rows need not be written.
};

/// The shape of a launch: the number of workgroups, the threads of a workgroup, and its dynamic shared memory in bytes.
/// `counters`, if not null, receives counts of the launch.
struct Shape {
  std::array<unsigned, 3> groups = {1, 1, 1};
  std::array<unsigned, 3> threads = {32, 1, 1};
  uint64_t sharedBytes = 0;
  Counters *counters = nullptr;
};

/// Executes the first kernel of a PTX text with `buffers` as its parameters. A warp may execute at most 2^20
/// instructions. Returns the error, or "" on success.
std::string execute(const std::string &text, const std::vector<const Buffer *> &buffers, const Shape &shape = {});

/// Returns the text of a module with one kernel `k`, which executes `body`. The kernel has `parameters` parameters p0,
/// p1, ..., and registers %p<16>, %h<64> (16 bits), %r<64>, %f<64>, %rd<64> (64 bits) and %fd<16>. At the start of the
/// body, %rd0, %rd1, ... contain the parameters, and %r0 contains %tid.x. `body` begins on line 1 of the text.
std::string kernel(unsigned parameters, const std::string &body, const std::string &declarations = "");

/// Returns the number of the first line of `text` that contains `part`; 0 if there is none.
unsigned lineOf(const std::string &text, const std::string &part);

/// Returns the contents of a file in tests/ptx/Inputs.
std::string readInput(const std::string &name);

} // namespace heddle::ptx

#endif // HEDDLE_TESTS_PTX_KERNELS_H
