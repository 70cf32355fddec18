//===- FakeKernels.cpp - host versions of kernels/*.ptx -------------------===//
//
// The fake CUDA driver runs these functions in place of the kernels in
// kernels/*.ptx. findKernel maps the names of kernels to functions.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <map>
#include <vector>

using fake::Group;

namespace {

// Returns the address of the buffer with this number.
template <typename T> T *buffer(const Group &group, int number) { return reinterpret_cast<T *>(group.buffers[number]); }

// Calls `body` with the global number of each thread of the workgroup, along x.
template <typename Body> void eachThread(const Group &group, Body body) {
  for (uint32_t thread = 0; thread < group.threads[0]; ++thread)
    body(group.id[0] * group.threads[0] + thread);
}

void addOne(const Group &group) {
  eachThread(group, [&](uint32_t i) { ++buffer<uint32_t>(group, 0)[i]; });
}
void twice(const Group &group) {
  eachThread(group, [&](uint32_t i) { buffer<uint32_t>(group, 0)[i] *= 2; });
}
void sum(const Group &group) {
  eachThread(group, [&](uint32_t i) {
    buffer<uint32_t>(group, 2)[i] = buffer<uint32_t>(group, 0)[i] + buffer<uint32_t>(group, 1)[i];
  });
}

void number(const Group &group) {
  const uint32_t *id = group.id;
  buffer<uint32_t>(group, 0)[id[0] + group.count[0] * (id[1] + group.count[1] * id[2])] =
      1 + id[0] + 10 * id[1] + 100 * id[2];
}

void reverse(const Group &group) {
  std::vector<uint32_t> tile(group.dynamicMemory / 4); // at() throws if the launch requests too little memory
  uint32_t *words = buffer<uint32_t>(group, 0) + 64 * group.id[0];
  for (size_t i = 0; i < 64; ++i)
    tile.at(i) = words[i];
  for (size_t i = 0; i < 64; ++i)
    words[i] = tile[63 - i];
}

void wide(const Group &group) {
  eachThread(group, [&](uint32_t i) {
    buffer<double>(group, 0)[i] *= 0.5;
    buffer<int64_t>(group, 1)[i] += int64_t(1) << 40;
  });
}
void narrow(const Group &group) {
  eachThread(group, [&](uint32_t i) {
    _Float16 &half = buffer<_Float16>(group, 0)[i];
    half = half + half;
    uint16_t &word = buffer<uint16_t>(group, 1)[i];
    word = uint16_t(word + word);
    uint8_t &byte = buffer<uint8_t>(group, 2)[i];
    byte = uint8_t(byte + byte);
  });
}
void multiply(const Group &group) {
  eachThread(group, [&](uint32_t i) { buffer<float>(group, 0)[i] *= buffer<float>(group, 1)[i]; });
}

// Sub-groups have 32 threads.
void reduce(const Group &group) {
  uint32_t *in = buffer<uint32_t>(group, 0), *out = buffer<uint32_t>(group, 1);
  out[0] = out[1] = 0;
  for (uint32_t i = 0; i < 64; ++i) {
    out[i / 32] += in[i];
    out[64 + i] = i / 32;
  }
}

} // namespace

fake::Kernel fake::findKernel(const std::string &name) {
  static const std::map<std::string, Kernel> kernels = {
      {"add_one", addOne}, {"twice", twice},   {"sum", sum},           {"number", number}, {"reverse", reverse},
      {"wide", wide},      {"narrow", narrow}, {"multiply", multiply}, {"reduce", reduce}};
  auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : found->second;
}
