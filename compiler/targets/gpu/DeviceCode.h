//===- DeviceCode.h - the device code of a module ---------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_DEVICECODE_H
#define HEDDLE_TARGETS_GPU_DEVICECODE_H

#include "abi/DeviceProgram.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace heddle {

/// The code of the kernels of a module at stage llvm, in the language of a kind of device, such as PTX.
class DeviceCode {
public:
  virtual ~DeviceCode() = default;

  /// Returns the name of the language, such as "ptx", for DeviceProgram::format.
  virtual llvm::StringRef getFormat() = 0;
  /// Returns the bits of enum heddle_device_features for all features of a device that the kernels need.
  virtual mlir::FailureOr<uint64_t> findFeatures() = 0;
  /// Returns the size in bytes of the workgroup memory that one workgroup of the kernel uses.
  virtual uint64_t countWorkgroupMemory(llvm::StringRef kernel) = 0;
  /// Sets the members `module` and `code` of `program`, and the position of each kernel in the code.
  virtual mlir::LogicalResult addTo(DeviceProgram &program) = 0;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_DEVICECODE_H
