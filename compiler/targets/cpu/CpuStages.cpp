//===- CpuStages.cpp - the stages tile to llvm of a CPU -------------------===//

#include "CpuTarget.h"

#include "heddle/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

/// Options of the passes that run strategies.
template <typename OptionsTy>
static OptionsTy strategyOptions(const TargetFacts &facts, ArrayRef<std::string> strategies) {
  OptionsTy result;
  result.features.assign(facts.features.begin(), facts.features.end());
  for (auto &[name, value] : facts.limits)
    result.limits.push_back(name + "=" + std::to_string(value));
  result.strategies.assign(strategies.begin(), strategies.end());
  return result;
}

static void addDispatch(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createStreamResults());
  manager.addPass(createOutlineTasks());
  addCleanup(manager);
}

static void addLoops(OpPassManager &manager) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerCopies());
  functions.addPass(createLowerVectors());
  functions.addPass(createExpandMath());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
}

static void addLLVM(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertToLLVM());
  addCleanup(manager);
}

void CpuTarget::addStage(OpPassManager &manager, Stage stage, ArrayRef<std::string> strategies) const {
  switch (stage) {
  case Stage::Tile:
    return manager.addPass(createTile(strategyOptions<TileOptions>(facts, strategies)));
  case Stage::Vectorize:
    return manager.addPass(createVectorize(strategyOptions<VectorizeOptions>(facts, strategies)));
  case Stage::Bufferize:
    return buildBufferizePipeline(manager);
  case Stage::Plan:
    return buildPlanPipeline(manager);
  case Stage::Dispatch:
    return addDispatch(manager);
  case Stage::Loops:
    return addLoops(manager);
  case Stage::LLVM:
    return addLLVM(manager);
  default:
    llvm_unreachable("not a stage of a target");
  }
}
