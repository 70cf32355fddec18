//===- Target.cpp - the targets that there are ----------------------------===//

#include "heddle/Target.h"

#include "targets/cpu/CpuTarget.h"

using namespace mlir;
using namespace heddle;

namespace {
struct Device {
  llvm::StringRef name;
  FailureOr<std::unique_ptr<Target>> (*create)(Location loc, const TargetOptions &options);
};
} // namespace

static constexpr Device devices[] = {{"cpu", CpuTarget::create}};

FailureOr<std::unique_ptr<Target>> heddle::createTarget(Location loc, const TargetOptions &options) {
  for (const Device &device : devices)
    if (device.name == options.device)
      return device.create(loc, options);
  return emitError(loc) << "--device: there is no device '" << options.device << "'";
}
