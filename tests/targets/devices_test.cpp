//===- devices_test.cpp - kinds of devices --------------------------------===//
//
// The compiler, the runtime and the targets must agree on the kinds of devices:
// the host ("cpu") and the rows of runtime/devices/devices.def.
//
//===----------------------------------------------------------------------===//

#include "heddle/Devices.h"
#include "heddle/Session.h"
#include "heddle/Target.h"
#include "heddle/device.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include "gtest/gtest.h"

using namespace heddle;

TEST(DeviceKinds, TheHostIsFirstAndNamesAreUnique) {
  ASSERT_FALSE(deviceKinds().empty());
  EXPECT_EQ(deviceKinds().front().name, hostDevice);
  llvm::StringSet<> names, extensions;
  for (const DeviceKind &kind : deviceKinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name.str();
    EXPECT_FALSE(kind.name.contains(':'));
    EXPECT_EQ(kind.extension.empty(), kind.language.empty());
    if (!kind.extension.empty()) {
      EXPECT_TRUE(kind.extension.starts_with("."));
      EXPECT_TRUE(extensions.insert(kind.extension).second) << kind.extension.str();
    }
  }
}

TEST(DeviceKinds, AreFoundByTheNamesOfTheirDevices) {
  for (const DeviceKind &kind : deviceKinds()) {
    EXPECT_EQ(findDeviceKind(kind.name), &kind);
    EXPECT_EQ(findDeviceKind((kind.name + ":0").str()), kind.selector.empty() ? nullptr : &kind);
  }
  for (const char *none : {"", ":0", "abacus", "cpus"})
    EXPECT_EQ(findDeviceKind(none), nullptr) << none;
}

TEST(DeviceKinds, InterpretedDevicesRunCodeOfAKind) {
  for (const InterpretedKind &interpreted : interpretedKinds()) {
    const DeviceKind *kind = findDeviceKind(interpreted.name);
    ASSERT_NE(kind, nullptr) << interpreted.name.str();
    EXPECT_EQ(kind->name, interpreted.kind);
    EXPECT_EQ(findDeviceKind((interpreted.name + ":0").str()), nullptr);
    auto device = openDevice(interpreted.name);
    ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
    EXPECT_EQ((*device)->name, interpreted.name);
  }
}

TEST(DeviceKinds, TargetsNameTheirKind) {
  mlir::MLIRContext context;
  for (const DeviceKind &kind : deviceKinds()) {
    TargetOptions options;
    options.device = kind.name.str();
    auto target = createTarget(mlir::UnknownLoc::get(&context), options);
    ASSERT_TRUE(mlir::succeeded(target));
    EXPECT_EQ((*target)->getDevice(), kind.name);
  }
}

TEST(DeviceKinds, TheRuntimeOpensEveryKindWithCode) {
  llvm::StringSet<> opened;
  for (size_t number = 0; const char *kind = heddle_device_kind(number); ++number)
    opened.insert(kind);
  for (const DeviceKind &kind : deviceKinds().drop_front())
    EXPECT_TRUE(opened.contains(kind.name)) << kind.name.str();
}
