//===- VulkanStages.cpp - the stages tile to llvm of a Vulkan device ------===//

#include "VulkanTarget.h"

#include "heddle/Passes.h"
#include "heddle/Strategy.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

static void addDispatch(OpPassManager &manager) {
  manager.addPass(createOutlineLaunches());
  addCleanup(manager);
}

static void addLoops(OpPassManager &manager) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerCopies());
  functions.addPass(createExpandMath());
  functions.addPass(createUnrollSums());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
}

/// @main is left with gpu.launch_func, the kernels are a spirv.module.
static void addSpirv(OpPassManager &manager) {
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass()); // constants that nothing reads any more: they may have a size in a range
  manager.addPass(createKernelsToGpu());
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

void VulkanTarget::addStage(OpPassManager &manager, Stage stage, ArrayRef<std::string> strategies) const {
  switch (stage) {
  case Stage::Tile:
    manager.addPass(createRefuseLowPrecision());
    return addTile(manager, getStrategies(), facts, strategies);
  case Stage::Vectorize:
    return manager.addPass(createVectorize());
  case Stage::Bufferize:
    return buildBufferizePipeline(manager, bufferAlignment);
  case Stage::Plan:
    return buildPlanPipeline(manager, bufferAlignment, /*workgroups=*/true);
  case Stage::Dispatch:
    return addDispatch(manager);
  case Stage::Loops:
    return addLoops(manager);
  case Stage::LLVM:
    return addSpirv(manager);
  default:
    llvm_unreachable("not a stage of a target");
  }
}
