//===- DeviceProgram.h - a library's program for a device -------*- C++ -*-===//
//
// The contents of struct heddle_program and of the arguments of `record`
// (runtime/include/heddle/device.h): the code for a device, and the launches of
// one call. Launches refer to memories by number: the arena, the memory of
// inputs and outputs, the weights, then the memory of each state's tensor.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ABI_DEVICEPROGRAM_H
#define HEDDLE_ABI_DEVICEPROGRAM_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

enum class DeviceMemory : uint64_t { Arena, Arguments, Weights };
inline constexpr unsigned deviceMemoryCount = 3;

struct DeviceKernel {
  std::string name;
  uint64_t buffers, threads;
  uint64_t workgroupMemory = 0;         // bytes
  uint64_t codeOffset = 0, codeSize = 0; // the range in DeviceProgram::code; size 0: all of it
  bool operator==(const DeviceKernel &other) const {
    return name == other.name && buffers == other.buffers && threads == other.threads &&
           workgroupMemory == other.workgroupMemory;
  }
};

/// A range of bytes in a device allocation.
struct DeviceView {
  DeviceMemory memory;
  uint64_t offset, size;
  bool operator==(const DeviceView &other) const {
    return memory == other.memory && offset == other.offset && size == other.size;
  }
};

struct DeviceLaunch {
  uint64_t kernel;
  std::array<uint64_t, 3> groups;
  std::vector<DeviceView> views;
  std::optional<DeviceView> counts; // the view of the workgroup counts, whose maximum is `groups`
  bool operator==(const DeviceLaunch &other) const {
    return kernel == other.kernel && groups == other.groups && views == other.views && counts == other.counts;
  }
};

struct DeviceProgram {
  std::string format;       // the language of the code, such as "spirv"
  std::vector<char> module; // one module with all kernels, for an output file (.spv, .ptx)
  std::vector<char> code;   // the bytes in a library: a module for each kernel (SPIR-V), or `module` (PTX)
  uint64_t features = 0;    // bits of enum heddle_device_features
  std::vector<DeviceKernel> kernels;
  std::vector<DeviceLaunch> launches;
  uint64_t arenaSize = 0, argumentsSize = 0;
  /// The bytes of the call's sizes. Each call copies them into the call header on the device, where heddle.size reads
  /// them.
  uint64_t sizesSize = 0;
  /// The offsets of inputs and outputs in their common memory. If there is an index check, it is the last output. The
  /// constants follow at `constantsOffset`.
  std::vector<uint64_t> inputOffsets, outputOffsets;
  uint64_t constantsOffset = 0;
  std::vector<char> constants;

  /// Returns whether the programs differ at most in their code.
  bool isLike(const DeviceProgram &other) const {
    return format == other.format && features == other.features && kernels == other.kernels &&
           launches == other.launches && arenaSize == other.arenaSize && argumentsSize == other.argumentsSize &&
           sizesSize == other.sizesSize && inputOffsets == other.inputOffsets &&
           outputOffsets == other.outputOffsets && constantsOffset == other.constantsOffset &&
           constants == other.constants;
  }
};

} // namespace heddle

#endif // HEDDLE_ABI_DEVICEPROGRAM_H
