//===- DeviceProgram.h - what a library asks of a device --------*- C++ -*-===//
//
// As runtime/include/heddle/device.h has it: code for a device, and the launches
// of one call. Memories are numbered: the arena, inputs and outputs, weights, and
// behind these each state's.
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
  uint64_t codeOffset = 0, codeSize = 0; // of DeviceProgram::code
  bool operator==(const DeviceKernel &other) const {
    return name == other.name && buffers == other.buffers && threads == other.threads &&
           workgroupMemory == other.workgroupMemory;
  }
};

/// Part of a memory.
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
  std::optional<DeviceView> counts; // of workgroups, which `groups` are at most
  bool operator==(const DeviceLaunch &other) const {
    return kernel == other.kernel && groups == other.groups && views == other.views && counts == other.counts;
  }
};

struct DeviceProgram {
  std::string format; // "spirv"
  std::vector<char> module; // all kernels
  std::vector<char> code;   // modules of one kernel each
  uint64_t features = 0; // enum heddle_device_features
  std::vector<DeviceKernel> kernels;
  std::vector<DeviceLaunch> launches;
  uint64_t arenaSize = 0, argumentsSize = 0;
  /// Bytes of sizes that a call copies into the arena, to where heddle.size reads them.
  uint64_t sizesSize = 0;
  /// Where inputs and outputs lie in their memory, last the check of indices if there is one, and behind them what is
  /// constant.
  std::vector<uint64_t> inputOffsets, outputOffsets;
  uint64_t constantsOffset = 0;
  std::vector<char> constants;

  /// Whether another program differs in its code alone.
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
