// Kernels.h - executes PTX kernels on buffers of a test.
#ifndef HEDDLE_TESTS_PTX_KERNELS_H
#define HEDDLE_TESTS_PTX_KERNELS_H

#include "ptx/Launch.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace heddle::ptx {

/// A buffer of a kernel, with initial contents or unwritten.
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
  bool mayBeUnfilled = false; // the buffer is a state, whose rows need not be written
};

struct Shape {
  std::array<unsigned, 3> groups = {1, 1, 1};
  std::array<unsigned, 3> threads = {32, 1, 1};
  uint64_t sharedBytes = 0;
  Counters *counters = nullptr;
};

/// Executes the only kernel of a text on `buffers`, its parameters; returns the error, or "".
std::string execute(const std::string &text, const std::vector<const Buffer *> &buffers, const Shape &shape = {});

/// Returns a module with one kernel, `k`, with this number of parameters (p0, p1, ...), whose registers are %p<16>,
/// %h<64> (16 bits), %r<64>, %f<64>, %rd<64> (64 bits) and %fd<16>. At its start `%rd0`.. hold the parameters, and
/// `%r0` is %tid.x. Its first line is line 1 in error messages.
std::string kernel(unsigned parameters, const std::string &body, const std::string &declarations = "");

/// Returns the number of the first line of `text` that contains `part`; 0 if there is none.
unsigned lineOf(const std::string &text, const std::string &part);

/// Returns the contents of a file in Inputs.
std::string readInput(const std::string &name);

} // namespace heddle::ptx

#endif // HEDDLE_TESTS_PTX_KERNELS_H
