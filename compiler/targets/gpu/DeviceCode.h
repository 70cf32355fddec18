//===- DeviceCode.h - the device code of a module ---------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_DEVICECODE_H
#define HEDDLE_TARGETS_GPU_DEVICECODE_H

#include "abi/DeviceProgram.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace heddle {

/// The kernels of a module at stage llvm, in the language of a kind of device.
class DeviceCode {
public:
  virtual ~DeviceCode() = default;

  /// Returns the name of the language, for DeviceProgram::format.
  virtual llvm::StringRef getFormat() = 0;
  /// Returns the bits of enum heddle_device_features that the kernels need.
  virtual mlir::FailureOr<uint64_t> findFeatures() = 0;
  /// Returns the bytes of workgroup memory of the kernel.
  virtual uint64_t countWorkgroupMemory(llvm::StringRef kernel) = 0;
  /// Sets the module and the code of `program`, and the position of each kernel in the code.
  virtual mlir::LogicalResult addTo(DeviceProgram &program) = 0;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_DEVICECODE_H
