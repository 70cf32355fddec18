//===- Pipeline.cpp - the stages from an imported module on ---------------===//

#include "heddle/Pipeline.h"
#include "heddle/Fusion.h"
#include "heddle/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace heddle;

static constexpr llvm::StringRef names[] = {"import",    "recognise", "fuse",  "kernels",  "tile",
                                            "vectorize", "bufferize", "plan",  "dispatch", "loops",
                                            "llvm",      "llvmir",    "object"};

llvm::ArrayRef<llvm::StringRef> heddle::stageNames() { return names; }
llvm::StringRef heddle::stageName(Stage stage) { return names[size_t(stage)]; }

std::optional<Stage> heddle::parseStage(llvm::StringRef name) {
  const auto *it = llvm::find(names, name);
  return it == std::end(names) ? std::nullopt : std::optional(Stage(it - names));
}

/// A self-copy survives one canonicalize.
static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass());
}

static void addRecognise(OpPassManager &manager, const PipelineOptions &) { buildRecognisePipeline(manager); }

static void addFuse(OpPassManager &manager, const PipelineOptions &) { buildFusePipeline(manager); }

static void addKernels(OpPassManager &manager, const PipelineOptions &) {
  manager.addPass(createOutlineKernels());
  // No CSE: two kernels' destinations must not become one tensor.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(func::createDuplicateFunctionEliminationPass());
}

/// Options of the passes that run strategies.
template <typename OptionsTy>
static OptionsTy strategyOptions(const PipelineOptions &options) {
  OptionsTy result;
  result.features.assign(options.target.features.begin(), options.target.features.end());
  for (auto &[name, value] : options.target.limits)
    result.limits.push_back(name + "=" + std::to_string(value));
  result.strategies.assign(options.strategies.begin(), options.strategies.end());
  return result;
}

static void addTile(OpPassManager &manager, const PipelineOptions &options) {
  manager.addPass(createTile(strategyOptions<TileOptions>(options)));
}

static void addVectorize(OpPassManager &manager, const PipelineOptions &options) {
  manager.addPass(createVectorize(strategyOptions<VectorizeOptions>(options)));
}

static void addBufferize(OpPassManager &manager, const PipelineOptions &) {
  manager.addPass(createAssignWeights());
  manager.addPass(createBindResults());
  manager.addNestedPass<func::FuncOp>(createGroupAccesses());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(bufferization::createDropEquivalentBufferResultsPass());
  addCleanup(manager);
}

static void addPlan(OpPassManager &manager, const PipelineOptions &) {
  manager.addPass(createPlanMemory());
  addCleanup(manager);
}

static void addDispatch(OpPassManager &manager, const PipelineOptions &) {
  manager.addNestedPass<func::FuncOp>(createStreamResults());
  manager.addPass(createOutlineTasks());
  addCleanup(manager);
}

static void addLoops(OpPassManager &manager, const PipelineOptions &) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerCopies());
  functions.addPass(createLowerVectors());
  functions.addPass(createExpandMath());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
}

static void addLLVM(OpPassManager &manager, const PipelineOptions &) {
  manager.addNestedPass<func::FuncOp>(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertToLLVM());
  addCleanup(manager);
}

void heddle::addStage(OpPassManager &manager, Stage stage, const PipelineOptions &options) {
  using Add = void (*)(OpPassManager &, const PipelineOptions &);
  static constexpr Add stages[] = {nullptr,      addRecognise, addFuse,     addKernels, addTile, addVectorize,
                                   addBufferize, addPlan,      addDispatch, addLoops,   addLLVM};
  if (size_t(stage) < std::size(stages) && stages[size_t(stage)])
    stages[size_t(stage)](manager, options);
}

LogicalResult heddle::runStages(ModuleOp module, Stage from, Stage to, const PipelineOptions &options) {
  for (int stage = int(from) + 1; stage <= std::min(int(to), int(Stage::LLVM)); ++stage) {
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    addStage(manager, Stage(stage), options);
    manager.enableVerifier(false); // once a stage is enough
    if (failed(manager.run(module)) || failed(verify(module)))
      return failure();
    if (options.afterStage && failed(options.afterStage(Stage(stage), module)))
      return failure();
  }
  return success();
}

namespace {
llvm::cl::OptionEnumValue stageValue(Stage stage) { return {stageName(stage), int(stage), ""}; }

/// The stages that a module of MLIR can be at.
llvm::cl::ValuesClass stageValues() {
  return llvm::cl::values(stageValue(Stage::Import), stageValue(Stage::Recognise), stageValue(Stage::Fuse),
                          stageValue(Stage::Kernels), stageValue(Stage::Tile), stageValue(Stage::Vectorize),
                          stageValue(Stage::Bufferize), stageValue(Stage::Plan), stageValue(Stage::Dispatch),
                          stageValue(Stage::Loops), stageValue(Stage::LLVM));
}

struct PipelineFlags : PassPipelineOptions<PipelineFlags> {
  Option<Stage> from{*this, "from", llvm::cl::desc("Stage that the module is at"),
                     llvm::cl::init(Stage::Import), stageValues()};
  Option<Stage> to{*this, "to", llvm::cl::desc("Last stage to run"), llvm::cl::init(Stage::LLVM),
                   stageValues()};
  ListOption<std::string> features{*this, "features",
                                   llvm::cl::desc("Features of the CPU, as LLVM names them")};
  ListOption<std::string> strategies{*this, "strategy",
                                     llvm::cl::desc("OP=NAME or OP=FILE, with :knob=value,...")};
};
} // namespace

void heddle::registerPipelines() {
  static PassPipelineRegistration<PipelineFlags> registration(
      "heddle-pipeline", "Runs the stages after `from` up to `to`",
      [](OpPassManager &manager, const PipelineFlags &flags) {
        PipelineOptions options;
        options.target.features.assign(flags.features.begin(), flags.features.end());
        options.strategies.assign(flags.strategies.begin(), flags.strategies.end());
        for (int stage = int(flags.from.getValue()) + 1; stage <= int(flags.to.getValue()); ++stage)
          addStage(manager, Stage(stage), options);
      });
}
