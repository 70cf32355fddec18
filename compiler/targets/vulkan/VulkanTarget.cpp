//===- VulkanTarget.cpp - GPUs that Vulkan supports -----------------------===//

#include "VulkanTarget.h"

#include "heddle/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRVPass.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRVPass.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRVPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

VulkanTarget::VulkanTarget() {
  // The limits below are valid for all or nearly all Vulkan devices. The width of sub-groups differs among devices, so
  // it is declared as unknown (0), and no strategy may depend on it. Of the 32 KiB of workgroup memory, tiles take at
  // most 28. The other 4 KiB are for results that lanes exchange: one f32 of each of 128 rows from each of the 8 lanes
  // of #heddle.fma that share a row.
  facts.limits = {{"vector_bits", 128},
                  {"vector_registers", 64},
                  {"workgroup_kib", 32},
                  {"workgroup_threads", 256},
                  {"tile_kib", 28},
                  {"tile_stages", 1},
                  {"part_workgroups", 1},
                  {"subgroup", 0}};
  facts.elements = {"f32", "f64"};
}

FailureOr<std::unique_ptr<Target>> heddle::createVulkanTarget(Location loc, const TargetOptions &options) {
  return GpuTarget::create(std::make_unique<VulkanTarget>(), loc, options);
}

/// Adds passes that compile the kernels of the gpu.module to a spirv.module.
void VulkanTarget::addCode(OpPassManager &manager) const {
  // SPIR-V has no pointers to the middle of a buffer.
  manager.addPass(createTilesToLanes({facts.limits.at("subgroup"), /*pointers=*/false}));
  manager.addPass(createWidenAccesses());
  OpPassManager &device = manager.nest<gpu::GPUModuleOp>();
  device.addPass(createLowerAffinePass());
  device.addPass(createExpandForSpirv());
  device.addPass(arith::createArithExpandOpsPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  manager.addPass(createSetSpirvTarget());
  manager.addPass(createMapMemRefStorageClassPass());
  manager.addPass(createConvertMathToSPIRVPass());
  manager.addPass(createConvertGPUToSPIRVPass());
  OpPassManager &spirvModules = manager.nest<spirv::ModuleOp>();
  spirvModules.addPass(spirv::createSPIRVLowerABIAttributesPass());
  spirvModules.addPass(createDecorateSpirv());
  spirvModules.addPass(spirv::createSPIRVUpdateVCEPass());
  spirvModules.addPass(createRuntimeArrays());
}
