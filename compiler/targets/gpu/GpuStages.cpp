//===- GpuStages.cpp - the stages from tile to llvm for GPUs --------------===//

#include "GpuTarget.h"

#include "heddle/Passes.h"
#include "heddle/Strategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

/// Adds the passes of stage dispatch. `threads` is the maximum number of threads of a workgroup.
static void addDispatch(OpPassManager &manager, int64_t threads) {
  manager.addPass(createOutlineLaunches({threads}));
  manager.nest<func::FuncOp>().addPass(createPipelineTiles());
  addCleanup(manager);
}

static void addLoops(OpPassManager &manager) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createLinalgToLoops());
  functions.addPass(createLowerCopies());
  functions.addPass(createExpandMath());
  functions.addPass(createUnrollSums());
  functions.addPass(createExpandRemainders());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
}

/// Adds passes that convert the kernels to functions of a gpu.module, and these functions to the dialect from which
/// device code is generated (`addCode`).
void GpuTarget::addLLVM(OpPassManager &manager) const {
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass()); // removes unused constants, whose types may depend on sizes
  manager.addPass(
      createKernelsToGpu({facts.limits.at("workgroup_threads"), facts.limits.at("subgroup"), countsWorkgroups()}));
  addCode(manager);
}

void GpuTarget::addStage(OpPassManager &manager, Stage stage, ArrayRef<std::string> strategies) const {
  switch (stage) {
  case Stage::Tile:
    manager.addPass(createRefuseLowPrecision({facts.elements, facts.products, facts.attentionProducts}));
    if (!facts.products.empty())
      manager.addPass(createNarrowResults({facts.products, /*conversions=*/true}));
    return addTile(manager, getDevice(), facts, strategies);
  case Stage::Vectorize:
    manager.addPass(createVectorize());
    if (!facts.products.empty()) // kernels may read tensors that are stored in fewer bits
      manager.addNestedPass<func::FuncOp>(createFoldDequantize());
    return;
  case Stage::Bufferize:
    return buildBufferizePipeline(manager, bufferAlignment);
  case Stage::Plan:
    return buildPlanPipeline(manager, bufferAlignment, /*workgroups=*/true);
  case Stage::Dispatch:
    return addDispatch(manager, facts.limits.at("workgroup_threads"));
  case Stage::Loops:
    return addLoops(manager);
  case Stage::LLVM:
    return addLLVM(manager);
  default:
    llvm_unreachable("not a stage of a target");
  }
}
