//===- CudaTarget.cpp - NVIDIA's GPUs, through PTX ------------------------===//

#include "CudaTarget.h"
#include "PtxCodegen.h"

#include "heddle/Passes.h"

#include "targets/cpu/LLVMSizes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::unique_ptr<Target>> CudaTarget::create(Location loc, const TargetOptions &options) {
  auto target = std::make_unique<CudaTarget>();
  if (failed(target->setHost(loc, options)))
    return failure();
  // Workgroups may ask for 99 KiB on all of these devices, but then fewer of them are in one multiprocessor.
  target->facts.limits = {{"vector_bits", 128}, {"workgroup_kib", 48}, {"workgroup_threads", 256}, {"subgroup", 32}};
  return std::unique_ptr<Target>(std::move(target));
}

std::string CudaTarget::describeDevice() const { return (ptxProcessor + " " + ptxFeatures).str(); }

std::unique_ptr<SizeArithmetic> CudaTarget::makeSizeArithmetic(FunctionOpInterface func, const Sizes &sizes) const {
  return makeLLVMSizes(func, sizes);
}

/// The kernels become functions of the LLVM dialect, in the gpu.module.
void CudaTarget::addCode(OpPassManager &manager) const {
  manager.addPass(createPlaceWorkgroupMemory());
  OpPassManager &device = manager.nest<gpu::GPUModuleOp>();
  device.addPass(createLowerAffinePass());
  device.addPass(createExpandForPtx({facts.limits.at("subgroup")}));
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createSCFToControlFlowPass());
  device.addPass(createConvertToNvvm());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
}
