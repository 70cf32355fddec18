//===- Devices.h - what there are to run code on ----------------*- C++ -*-===//
//
// Code is for the host, or for a device of a kind. Whoever offers these, or takes their names
// from users, asks here. (What devices of a kind there are on a machine, the runtime says:
// <heddle/device.h>.)
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICES_H
#define HEDDLE_DEVICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

/// What the host is called where devices are named.
inline constexpr llvm::StringLiteral hostDevice = "cpu";

/// A kind that there is a target for, as users know it.
struct DeviceKind {
  llvm::StringLiteral name;
  /// How one device of several is meant, behind the name: "[:N or NAME]". "" where there is one.
  llvm::StringLiteral selector;
  /// The language of its kernels, and how a file ends that holds nothing else: "SPIR-V", ".spv". "" of the host.
  llvm::StringLiteral language, extension;
};

/// A device that tools have besides: it runs code of a kind without what that is for.
struct InterpretedKind {
  llvm::StringLiteral name, kind;
};

/// All kinds, the host first; the others are those of runtime/devices/devices.def.
llvm::ArrayRef<DeviceKind> deviceKinds();
llvm::ArrayRef<InterpretedKind> interpretedKinds();
bool isInterpreted(llvm::StringRef device);

/// The kind of a device, "cpu", "vulkan:0" or "cuda-interpreted"; null where there is none, or where it has no device of such a name.
const DeviceKind *findDeviceKind(llvm::StringRef device);

} // namespace heddle

#endif // HEDDLE_DEVICES_H
