//===- CudaTarget.cpp - NVIDIA GPUs, through PTX --------------------------===//

#include "CudaTarget.h"
#include "PtxCodegen.h"

#include "heddle/Passes.h"

#include "targets/llvm/LLVMSizes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

CudaTarget::CudaTarget() {
  // All supported devices allow at least 99 KiB of memory for a workgroup. workgroup_kib is smaller, so that several
  // workgroups fit on a multiprocessor.
  facts.limits = {{"vector_bits", 128},
                  {"vector_registers", 64},
                  {"workgroup_kib", 48},
                  {"workgroup_threads", 256},
                  {"tile_kib", 96},
                  {"tile_stages", 4},
                  {"subgroup", 32}};
  facts.elements = {"f32", "f64", "bf16", "f16"};
  facts.products = {"bf16", "f16"}; // mma.sync, of compute capability 8.0
  facts.attentionProducts = facts.products;
}

FailureOr<std::unique_ptr<Target>> heddle::createCudaTarget(Location loc, const TargetOptions &options) {
  return GpuTarget::create(std::make_unique<CudaTarget>(), loc, options);
}

std::string CudaTarget::describeDevice() const { return (ptxProcessor + " " + ptxFeatures).str(); }

std::unique_ptr<SizeArithmetic> CudaTarget::makeSizeArithmetic(FunctionOpInterface func, const Sizes &sizes) const {
  return makeLLVMSizes(func, sizes);
}

/// Adds passes that convert the kernels of the gpu.module to functions of the LLVM dialect.
void CudaTarget::addCode(OpPassManager &manager) const {
  manager.addPass(createWidenAccesses());
  manager.addPass(createTilesToLanes({facts.limits.at("subgroup"), /*pointers=*/true}));
  manager.nest<gpu::GPUModuleOp>().addPass(memref::createFoldMemRefAliasOpsPass());
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
