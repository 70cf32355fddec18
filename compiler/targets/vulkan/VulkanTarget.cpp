//===- VulkanTarget.cpp - GPUs and others that Vulkan reaches -------------===//

#include "VulkanTarget.h"

#include "targets/cpu/HostCode.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::unique_ptr<Target>> VulkanTarget::create(Location loc, const TargetOptions &options) {
  if (options.cpu != "native" || !options.attributes.empty())
    return emitError(loc) << "--device vulkan: code for a device has no CPU; leave out "
                          << (options.cpu != "native" ? "--mcpu" : "--mattr");
  FailureOr<std::unique_ptr<Target>> host = CpuTarget::create(loc, {"cpu", options.triple, "generic", ""});
  if (failed(host))
    return failure();
  auto target = std::make_unique<VulkanTarget>();
  target->host.reset(static_cast<CpuTarget *>(host->release()));
  target->facts.limits = {{"vector_bits", 128}};
  return std::unique_ptr<Target>(std::move(target));
}

std::string VulkanTarget::describe() const { return "Vulkan-1.1 " + host->getMachine().getTargetTriple().str(); }

FailureOr<std::unique_ptr<TargetCode>> VulkanTarget::translate(ArrayRef<TargetVariant> variants,
                                                               const ModelInterface &interface) const {
  return makeHostCode(variants.front().module->getLoc(), *host, interface);
}
