//===- CpuStages.cpp - the stages from tile to llvm for CPUs --------------===//

#include "CpuArchitecture.h"
#include "CpuTarget.h"

#include "heddle/Passes.h"
#include "heddle/Strategy.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

static void addDispatch(OpPassManager &manager, const TargetFacts &facts) {
  manager.addNestedPass<func::FuncOp>(createStreamResults());
  manager.addPass(createOutlineTasks({unsigned(facts.limits.at("vector_bits"))}));
  addCleanup(manager);
}

/// Adds the passes of stage loops. `convertsHalf` means that the CPU has instructions that convert between f16 and f32.
static void addLoops(OpPassManager &manager, bool convertsHalf) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerCopies());
  functions.addPass(createLowerTileProducts());
  functions.addPass(createLowerVectors());
  functions.addPass(createExpandMath());
  functions.addPass(createExpandConversions({convertsHalf}));
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
}

/// Adds the passes of stage llvm. `baseline` is the feature that every CPU of the architecture has, with a plus sign,
/// such as "+sse2".
static void addLLVM(OpPassManager &manager, const TargetFacts &facts, StringRef baseline) {
  ExpandDotsOptions dots;
  dots.features.assign(facts.features.begin(), facts.features.end());
  dots.features.push_back(baseline.drop_front().str());
  manager.addNestedPass<func::FuncOp>(createExpandDots(dots));
  manager.addNestedPass<func::FuncOp>(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertToLLVM());
  addCleanup(manager);
}

void CpuTarget::addStage(OpPassManager &manager, Stage stage, ArrayRef<std::string> strategies) const {
  switch (stage) {
  case Stage::Tile:
    if (has("avx512bf16"))
      manager.addPass(createNarrowResults());
    addTile(manager, getDevice(), facts, strategies);
    return manager.addPass(createTieTables());
  case Stage::Vectorize:
    manager.addPass(createVectorize());
    return manager.addNestedPass<func::FuncOp>(createFoldDequantize());
  case Stage::Bufferize:
    return buildBufferizePipeline(manager);
  case Stage::Plan:
    return buildPlanPipeline(manager);
  case Stage::Dispatch:
    return addDispatch(manager, facts);
  case Stage::Loops:
    return addLoops(manager, architecture->halfFeature.empty() || has(architecture->halfFeature));
  case Stage::LLVM:
    return addLLVM(manager, facts, architecture->baselineFeatures);
  default:
    llvm_unreachable("not a stage of a target");
  }
}
