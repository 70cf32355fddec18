//===- GpuTarget.cpp - devices with workgroups and threads ----------------===//

#include "GpuTarget.h"
#include "ProgramReader.h"

#include "abi/ModelInterface.h"
#include "targets/cpu/HostCode.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::unique_ptr<Target>> GpuTarget::create(std::unique_ptr<GpuTarget> target, Location loc,
                                                     const TargetOptions &options) {
  target->kind = findDeviceKind(options.device);
  if (options.cpu != "native" || !options.attributes.empty())
    return emitError(loc) << "--device " << options.device << ": cannot be combined with "
                          << (options.cpu != "native" ? "--mcpu" : "--mattr");
  FailureOr<std::unique_ptr<Target>> created =
      CpuTarget::create(loc, {hostDevice.str(), options.triple, "generic", ""});
  if (failed(created))
    return failure();
  target->host.reset(static_cast<CpuTarget *>(created->release()));
  return std::unique_ptr<Target>(std::move(target));
}

std::string GpuTarget::describe() const { return describeDevice() + " " + host->getMachine().getTargetTriple().str(); }

LogicalResult GpuTarget::addDeviceProgram(ModuleOp module, ModelInterface &interface) const {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("expected a function @main");
  FailureOr<std::unique_ptr<DeviceCode>> code = findCode(module);
  return failed(code) ? failure() : readProgram(main, **code, bufferAlignment, interface);
}

LogicalResult GpuTarget::addDeviceCode(ModuleOp module, ModelInterface &interface) const {
  FailureOr<std::unique_ptr<DeviceCode>> code = findCode(module);
  return failed(code) ? failure() : (*code)->addTo(*interface.device);
}

FailureOr<std::unique_ptr<TargetCode>> GpuTarget::translate(ArrayRef<TargetVariant> variants,
                                                            const ModelInterface &interface) const {
  return makeHostCode(variants.front().module->getLoc(), *host, interface);
}
