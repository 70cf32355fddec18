//===- Stages.cpp - stages of the compiler --------------------------------===//

#include "heddle/Stages.h"
#include "heddle/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

/// The names of the stages, in the order of the enumerators of Stage.
static constexpr llvm::StringRef names[] = {"import",    "recognise", "fuse",  "kernels",  "tile",
                                            "vectorize", "bufferize", "plan",  "dispatch", "loops",
                                            "llvm",      "llvmir",    "object"};

llvm::ArrayRef<llvm::StringRef> heddle::stageNames() { return names; }
llvm::StringRef heddle::stageName(Stage stage) { return names[size_t(stage)]; }

std::optional<Stage> heddle::parseStage(llvm::StringRef name) {
  const auto *it = llvm::find(names, name);
  return it == std::end(names) ? std::nullopt : std::optional(Stage(it - names));
}

void heddle::buildRecognisePipeline(OpPassManager &manager, ArrayRef<std::string> products,
                                    ArrayRef<std::string> attentionProducts) {
  manager.addPass(createUnpackFormats());
  manager.addPass(createWidenFloats({llvm::to_vector(products), llvm::to_vector(attentionProducts)}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createRecognise());
  if (!products.empty())
    manager.addPass(createRoundRows({llvm::to_vector(products)}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void heddle::buildFusePipeline(OpPassManager &manager) {
  manager.addPass(createCheckStates());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCheckIndices());
  functions.addPass(createFoldLayouts());
  functions.addPass(createFuseResiduals());
  functions.addPass(createFuseElementwise());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  // heddle-skip-padding inserts row selects, which set the inactive rows of a layer's result to 0. The pass comes after
  // fusion, because fusion would separate the row selects from their layers.
  functions.addPass(createSkipPadding());
  functions.addPass(createCSEPass());
  functions.addPass(createMergeProjections()); // after skip-padding: merged layers must have the same active rows
  functions.addPass(createCanonicalizerPass()); // folds concatenated weights into recipes
}

void heddle::buildKernelsPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createComputeConstants());
  manager.addNestedPass<func::FuncOp>(createExtractOutlierChannels());
  manager.addPass(createOutlineKernels());
  // CSE is not run here, since it would merge the destinations of two kernels into one tensor.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(func::createDuplicateFunctionEliminationPass());
}

void heddle::addCleanup(OpPassManager &manager) {
  // The simplification of blocks and their arguments is disabled, because LLVM does it later. Here, it would cost as
  // much time as all patterns together and would not change the code.
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  manager.addPass(createCanonicalizerPass(config));
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass(config)); // one run leaves copies of a buffer to itself
}

void heddle::buildBufferizePipeline(OpPassManager &manager, int64_t alignment) {
  manager.addPass(createAssignWeights({alignment}));
  manager.addPass(createBindResults());
  manager.addNestedPass<func::FuncOp>(createGroupAccesses());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  manager.addPass(createOrderGlobals());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(bufferization::createDropEquivalentBufferResultsPass());
  addCleanup(manager);
  manager.addPass(createCheckStateCopies());
}

void heddle::buildPlanPipeline(OpPassManager &manager, int64_t alignment, bool workgroups) {
  manager.addPass(createPlanMemory({workgroups, alignment}));
  addCleanup(manager);
}
