//===- Pipeline.cpp - the stages from import to llvm ----------------------===//

#include "heddle/Pipeline.h"
#include "heddle/Target.h"

#include "Notes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace heddle;

void heddle::addStage(OpPassManager &manager, Stage stage, const PipelineOptions &options) {
  switch (stage) {
  case Stage::Recognise:
    if (!options.target)
      return buildRecognisePipeline(manager);
    return buildRecognisePipeline(manager, options.target->getFacts().products,
                                  options.target->getFacts().attentionProducts);
  case Stage::Fuse:
    return buildFusePipeline(manager);
  case Stage::Kernels:
    return buildKernelsPipeline(manager);
  case Stage::Import:
  case Stage::LLVMIR:
  case Stage::Object:
    return;
  default:
    assert(options.target && "the stages from tile on need a target");
    options.target->addStage(manager, stage, options.strategies);
  }
}

/// Returns the range of the elements of each input of @main, or nullopt where it is unknown.
static SmallVector<std::optional<ElementRange>> inputRanges(FunctionOpInterface main) {
  SmallVector<std::optional<ElementRange>> ranges;
  for (unsigned i = 0, e = main ? main.getNumArguments() : 0; i < e; ++i)
    ranges.push_back(notes::range.get(main, i));
  return ranges;
}

LogicalResult heddle::runStages(ModuleOp module, Stage from, Stage to, const PipelineOptions &options) {
  auto main = [&] { return module.lookupSymbol<FunctionOpInterface>("main"); };
  SmallVector<std::optional<ElementRange>> ranges = inputRanges(main());
  for (int stage = int(from) + 1; stage <= std::min(int(to), int(Stage::LLVM)); ++stage) {
    if (options.beforeStage)
      options.beforeStage(Stage(stage));
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    addStage(manager, Stage(stage), options);
    manager.enableVerifier(false); // verifying once after each stage, instead of after each pass, is enough
    if (failed(manager.run(module)) || failed(verify(module)))
      return failure();
    // The library checks the ranges of inputs, and code that looks up elements without bounds checks relies on these
    // checks. Therefore no stage may lose these annotations. Inputs are the first arguments.
    SmallVector<std::optional<ElementRange>> left = inputRanges(main());
    left.resize(ranges.size());
    if (left != ranges)
      return module.emitError() << "stage " << stageName(Stage(stage)) << " loses an annotation of @main: "
                                << notes::range.name;
    if (options.afterStage && failed(options.afterStage(Stage(stage), module)))
      return failure();
  }
  return success();
}

namespace {
llvm::cl::OptionEnumValue stageValue(Stage stage) { return {stageName(stage), int(stage), ""}; }

/// The stages at which an MLIR module can be.
llvm::cl::ValuesClass stageValues() {
  return llvm::cl::values(stageValue(Stage::Import), stageValue(Stage::Recognise), stageValue(Stage::Fuse),
                          stageValue(Stage::Kernels), stageValue(Stage::Tile), stageValue(Stage::Vectorize),
                          stageValue(Stage::Bufferize), stageValue(Stage::Plan), stageValue(Stage::Dispatch),
                          stageValue(Stage::Loops), stageValue(Stage::LLVM));
}

/// The options of the pass pipeline `heddle-pipeline` of heddle-opt.
struct PipelineFlags : PassPipelineOptions<PipelineFlags> {
  Option<Stage> from{*this, "from", llvm::cl::desc("Last stage that has already run on the module"),
                     llvm::cl::init(Stage::Import), stageValues()};
  Option<Stage> to{*this, "to", llvm::cl::desc("Last stage to run"), llvm::cl::init(Stage::LLVM),
                   stageValues()};
  Option<std::string> triple{*this, "target", llvm::cl::desc("Target triple")};
  Option<std::string> cpu{*this, "mcpu", llvm::cl::desc("CPU to compile for"), llvm::cl::init("generic")};
  Option<std::string> attributes{*this, "mattr", llvm::cl::desc("CPU features to add or remove, such as +avx2,-fma")};
  ListOption<std::string> strategies{*this, "strategy",
                                     llvm::cl::desc("OP=NAME|FILE[:knob=value,...], separated by commas; {{OP=NAME:knob=value,knob=value}} with several knobs")};
};
} // namespace

void heddle::registerPipelines() {
  auto build = [](OpPassManager &manager, StringRef text, function_ref<LogicalResult(const Twine &)> error) {
    PipelineFlags flags;
    if (failed(flags.parseFromString(text)))
      return failure();
    PipelineOptions options;
    options.strategies.assign(flags.strategies.begin(), flags.strategies.end());
    std::unique_ptr<Target> target; // needed only in this function, since passes do not refer to the target
    if (flags.to.getValue() >= Stage::Tile) {
      MLIRContext context;
      std::string reason;
      ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
      auto found =
          createTarget(UnknownLoc::get(&context), {hostDevice.str(), flags.triple, flags.cpu, flags.attributes});
      if (failed(found))
        return error(reason);
      target = std::move(*found);
      options.target = target.get();
    }
    for (int stage = int(flags.from.getValue()) + 1; stage <= int(flags.to.getValue()); ++stage)
      addStage(manager, Stage(stage), options);
    return success();
  };
  registerPassPipeline("heddle-pipeline", "Runs the stages after `from` up to `to`", build,
                       [](function_ref<void(const mlir::detail::PassOptions &)> handle) { handle(PipelineFlags()); });
}
