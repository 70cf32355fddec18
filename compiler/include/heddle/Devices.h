//===- Devices.h - kinds of devices to run code on --------------*- C++ -*-===//
//
// Lists the kinds of devices that code can be compiled for: the host's CPU and the kinds in
// runtime/devices/devices.def. Code that offers a choice of devices, or parses a user's choice, uses this list. The
// runtime finds out which devices of a kind a machine has (<heddle/device.h>).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICES_H
#define HEDDLE_DEVICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

/// The name of the host among device names.
inline constexpr llvm::StringLiteral hostDevice = "cpu";

/// A kind of device for which the compiler has a target.
struct DeviceKind {
  llvm::StringLiteral name;
  /// The syntax that selects one of several devices of this kind, written after the name: "[:N or NAME]". It is "" if
  /// there is only one device.
  llvm::StringLiteral selector;
  /// The language of the device's kernels and the extension of files with kernels: "SPIR-V", ".spv". Both are "" for
  /// the host.
  llvm::StringLiteral language, extension;
};

/// A device with the name `name`, such as "cuda-interpreted". It interprets kernels that were compiled for devices of
/// the kind `kind`, and needs no such device. Only the tools contain such devices; the runtime does not.
struct InterpretedKind {
  llvm::StringLiteral name, kind;
};

/// All kinds; the host is first, and the others are those of runtime/devices/devices.def.
llvm::ArrayRef<DeviceKind> deviceKinds();
llvm::ArrayRef<InterpretedKind> interpretedKinds();
/// Whether the name `device` is that of an InterpretedKind.
bool isInterpreted(llvm::StringRef device);

/// The kind of a device such as "cpu", "vulkan:0" or "cuda-interpreted". Returns null if there is no such kind, or if
/// the name has a selector although the kind allows none. The selector itself is not checked.
const DeviceKind *findDeviceKind(llvm::StringRef device);

} // namespace heddle

#endif // HEDDLE_DEVICES_H
