//===- Devices.cpp - the table of kinds of devices ------------------------===//

#include "heddle/Devices.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using llvm::StringRef;

static constexpr DeviceKind kinds[] = {
    {hostDevice, "", "", ""}, // name, selector, language of kernels, extension of their files
#define HEDDLE_DEVICE(name, Stem, language, extension) {#name, "[:N or NAME]", language, extension},
#include "devices/devices.def"
};

static constexpr InterpretedKind interpreted[] = {
#define HEDDLE_INTERPRETED(name, Stem, kind) {name, #kind},
#include "devices/devices.def"
};

llvm::ArrayRef<DeviceKind> heddle::deviceKinds() { return kinds; }

llvm::ArrayRef<InterpretedKind> heddle::interpretedKinds() { return interpreted; }

bool heddle::isInterpreted(StringRef device) {
  return llvm::any_of(interpreted, [&](const InterpretedKind &known) { return known.name == device; });
}

const DeviceKind *heddle::findDeviceKind(StringRef device) {
  // An interpreted device executes the code of another kind of device.
  for (const InterpretedKind &known : interpreted)
    if (device == known.name)
      device = known.kind;
  StringRef name = device.split(':').first;
  const DeviceKind *found = llvm::find_if(kinds, [&](const DeviceKind &kind) { return kind.name == name; });
  bool isThere = found != std::end(kinds) && (name == device || !found->selector.empty());
  return isThere ? found : nullptr;
}
