//===- DeviceProgram.h - a library's program for a device -------*- C++ -*-===//
//
// The contents of struct heddle_program and of the arguments of the function
// `record` of a device (runtime/include/heddle/device.h): the code for the
// device, and the launches of one call. Launches refer to device allocations by
// number: 0 is the arena, 1 contains inputs, outputs and constants, 2 contains
// the weights, and further numbers stand for the tensors of states.
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

/// The numbers of device allocations, without those of states. Arguments are the inputs, the outputs, and the constants
/// of the module.
enum class DeviceMemory : uint64_t { Arena, Arguments, Weights };
inline constexpr unsigned deviceMemoryCount = 3;

/// A kernel. The operator == compares everything except the code.
struct DeviceKernel {
  std::string name;
  uint64_t buffers, threads;             // the number of parameters (all are buffers), and of threads in a workgroup
  uint64_t workgroupMemory = 0;          // in bytes
  uint64_t codeOffset = 0, codeSize = 0; // the range in DeviceProgram::code; a size of 0 means the whole code
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

/// A launch of a kernel in a call.
struct DeviceLaunch {
  uint64_t kernel;                  // an index in DeviceProgram::kernels
  std::array<uint64_t, 3> groups;   // the number of workgroups in each dimension, or its maximum if there are `counts`
  std::vector<DeviceView> views;    // one for each buffer of the kernel
  std::optional<DeviceView> counts; // the three u32 numbers of workgroups, if a kernel computes them in each call
  bool operator==(const DeviceLaunch &other) const {
    return kernel == other.kernel && groups == other.groups && views == other.views && counts == other.counts;
  }
};

/// The code for a device and the launches of one call.
struct DeviceProgram {
  std::string format;       // the language of the code, such as "spirv"
  std::vector<char> module; // one module with all kernels, for an output file (.spv, .ptx)
  std::vector<char> code;   // the bytes in a library: a module for each kernel (SPIR-V), or `module` (PTX)
  uint64_t features = 0;    // bits of enum heddle_device_features
  std::vector<DeviceKernel> kernels;
  std::vector<DeviceLaunch> launches;
  uint64_t arenaSize = 0, argumentsSize = 0; // in bytes: DeviceMemory::Arena and DeviceMemory::Arguments
  /// The number of bytes that the sizes of a call need. Each call copies its sizes into the call header (the first
  /// bytes of the arena) on the device, from which kernels read the sizes.
  uint64_t sizesSize = 0;
  /// The offsets of inputs and outputs in DeviceMemory::Arguments. If the model computes indices, the index check (an
  /// i32 that is not 0 after a call in which an index was out of bounds) counts as the last output. `constants`, the
  /// values of the module's constants, begin at `constantsOffset`.
  std::vector<uint64_t> inputOffsets, outputOffsets;
  uint64_t constantsOffset = 0;
  std::vector<char> constants;

  /// Returns whether the programs differ at most in their code.
  bool isEqualExceptCode(const DeviceProgram &other) const {
    return format == other.format && features == other.features && kernels == other.kernels &&
           launches == other.launches && arenaSize == other.arenaSize && argumentsSize == other.argumentsSize &&
           sizesSize == other.sizesSize && inputOffsets == other.inputOffsets &&
           outputOffsets == other.outputOffsets && constantsOffset == other.constantsOffset &&
           constants == other.constants;
  }
};

} // namespace heddle

#endif // HEDDLE_ABI_DEVICEPROGRAM_H
