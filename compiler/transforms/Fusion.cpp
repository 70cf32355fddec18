//===- Fusion.cpp - the stages recognise and fuse as pipelines ------------===//

#include "heddle/Fusion.h"
#include "heddle/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::buildRecognisePipeline(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createRecognise());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void heddle::buildFusePipeline(OpPassManager &manager) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createFoldLayouts());
  functions.addPass(createFuseResiduals());
  functions.addPass(createFuseElementwise());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createSkipPadding()); // behind the fusion, which would take its selects from their layers
  functions.addPass(createCSEPass());
  functions.addPass(createMergeProjections()); // of layers that are needed in the same rows
  functions.addPass(createCanonicalizerPass()); // concatenated weights into recipes
}
