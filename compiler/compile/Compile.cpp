//===- Compile.cpp - models made into objects -----------------------------===//

#include "heddle/Compile.h"

#include "abi/EntryPoints.h"
#include "abi/Header.h"
#include "abi/ModelInterface.h"
#include "compile/OpenSizes.h"
#include "compile/WriteWeights.h"
#include "heddle/Devices.h"
#include "heddle/Pipeline.h"
#include "heddle/Strategy.h"

#include "Notes.h"

#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace mlir;
using namespace heddle;

namespace {
class Compilation {
public:
  Compilation(Model model, const CompileOptions &options)
      : model(std::move(model)), options(options), loc(this->model.module->getLoc()) {}

  FailureOr<CompiledModel> run();

private:
  LogicalResult lower();
  LogicalResult openSizes();
  LogicalResult openSizes(int primes, std::string &difference);
  LogicalResult addDeviceProgram();
  bool isSameProgram(ModuleOp other);
  LogicalResult lowerVariant(const Target &target, ModuleOp module);
  LogicalResult runStages(ModuleOp module, Stage from, Stage to, const Target *target);
  LogicalResult readInterface(ModuleOp module, Stage stage);
  LogicalResult makeWeights();
  LogicalResult print(Stage stage);
  LogicalResult emit();
  bool reaches(Stage stage) const { return int(options.to) >= int(stage); }

  Model model;
  const CompileOptions &options;
  Location loc;
  std::vector<std::unique_ptr<Target>> targets;
  std::vector<OwningOpRef<ModuleOp>> modules; // of each target, from stage tile on
  std::vector<OwningOpRef<ModuleOp>> unsure;  // the same with other primes, if that did not tell enough of sizes
  ModelInterface interface;                   // of all targets; while one is lowered, of that one
  std::unique_ptr<TargetCode> code;
  std::unique_ptr<WeightsObject> object; // with weights in it
  CompiledModel result;
};
} // namespace

/// Those of the options; of the CPUs that nobody named, the best where one module is asked for.
static FailureOr<std::vector<std::unique_ptr<Target>>> findTargets(Location loc, const CompileOptions &options) {
  auto targets = createTargets(loc, options.target);
  if (failed(targets) || targets->size() == 1 || options.to <= Stage::Kernels || options.to >= Stage::LLVMIR)
    return targets;
  if (!options.target.cpu.empty())
    return emitError(loc) << "--mcpu: stage " << stageName(options.to) << " is of one CPU, found "
                          << options.target.cpu;
  targets->resize(1);
  return targets;
}

/// Reads the interface where the module at `stage` has buffers with types.
LogicalResult Compilation::readInterface(ModuleOp module, Stage stage) {
  if (stage < Stage::Plan || stage > Stage::Loops)
    return success();
  FailureOr<ModelInterface> read = heddle::readInterface(module);
  if (failed(read))
    return failure();
  interface = std::move(*read);
  return success();
}

/// Stages from `from` to `to`, of one target from stage tile on.
LogicalResult Compilation::runStages(ModuleOp module, Stage from, Stage to, const Target *target) {
  PipelineOptions pipeline;
  pipeline.target = target;
  pipeline.strategies = options.strategies;
  pipeline.beforeStage = [&](Stage stage) {
    options.progress(("stage " + stageName(stage) + (target ? " for " + target->getName() : "")).str());
  };
  pipeline.afterStage = [&](Stage stage, ModuleOp module) -> LogicalResult {
    if (options.changeModule && failed(options.changeModule(stage, module)))
      return failure();
    if (failed(readInterface(module, stage)))
      return failure();
    if (!options.afterStage)
      return success();
    bool isShared = !target || targets.size() == 1;
    return options.afterStage(stage, isShared ? "" : target->getName(), [&](llvm::raw_ostream &os) {
      module.print(os);
      os << "\n";
    });
  };
  return heddle::runStages(module, from, to, pipeline);
}

/// The weights of `module` go on with those of another target's.
static void continueWeights(ModuleOp module, ModuleOp before) {
  notes::weightTable.set(module, *notes::weightTable.get(before));
  notes::weightsSize.set(module, *notes::weightsSize.get(before));
}

/// Stages tile to llvm of one target, whose code goes on with the weights of those before it.
LogicalResult Compilation::lowerVariant(const Target &target, ModuleOp module) {
  ModelInterface before = std::move(interface);
  if (!modules.empty())
    continueWeights(module, *modules.back());
  // What there is to warn of was said for the first.
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &diagnostic) {
    return success(!modules.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  Stage from = std::max(options.from, Stage::Kernels);
  if (failed(readInterface(module, from)) || failed(runStages(module, from, options.to, &target)))
    return failure();
  interface.variants = {{target.getName().str(), target.describe()}};
  result.variants.push_back({target.getName().str(), 0, interface.arenaBytes(), uint64_t(interface.workerSize), 0});
  if (!before.variants.empty()) {
    addVariant(before, interface);
    interface = std::move(before);
  }
  return success();
}

/// Stages recognise to llvm: up to kernels for all targets at once.
LogicalResult Compilation::lower() {
  if (options.from < Stage::Kernels &&
      failed(runStages(*model.module, options.from, std::min(options.to, Stage::Kernels), nullptr)))
    return failure();
  if (!reaches(Stage::Tile))
    return success();
  for (const std::unique_ptr<Target> &target : targets) {
    bool isLast = target == targets.back();
    OwningOpRef<ModuleOp> module = isLast ? std::move(model.module) : OwningOpRef(model.module->clone());
    if (failed(lowerVariant(*target, *module)))
      return failure();
    modules.push_back(std::move(module));
  }
  return success();
}

/// Stages recognise to llvm once more, with other numbers in the place of the sizes that lie in ranges, and then the
/// sizes themselves. `difference` names the function that does not allow it.
LogicalResult Compilation::openSizes(int primes, std::string &difference) {
  SizeOptions sizes;
  sizes.primes = primes;
  FailureOr<Model> other = model.importAgain(sizes);
  if (failed(other))
    return failure();
  PipelineOptions pipeline;
  pipeline.strategies = options.strategies;
  pipeline.afterStage = [&](Stage stage, ModuleOp module) {
    return options.changeModule ? options.changeModule(stage, module) : success();
  };
  if (failed(heddle::runStages(*other->module, options.from, Stage::Kernels, pipeline)))
    return failure();
  std::vector<OwningOpRef<ModuleOp>> others;
  for (const std::unique_ptr<Target> &target : targets) {
    OwningOpRef<ModuleOp> module = other->module->clone();
    if (!others.empty())
      continueWeights(*module, *others.back());
    pipeline.target = target.get();
    if (failed(heddle::runStages(*module, Stage::Kernels, options.to, pipeline)))
      return failure();
    others.push_back(std::move(module));
  }
  difference = "@main";
  SizesOpened opened = SizesOpened::No;
  if (isSameProgram(*others.front()))
    opened = heddle::openSizes(
        modules, others, unsure,
        [&](FunctionOpInterface func, const Sizes &sizes) { return targets.front()->makeSizeArithmetic(func, sizes); },
        difference);
  if (opened == SizesOpened::Yes)
    difference.clear();
  if (opened == SizesOpened::Unsure)
    unsure = std::move(others);
  return success();
}

/// Whether a device is told to do the same where other primes stand for sizes.
bool Compilation::isSameProgram(ModuleOp other) {
  ModelInterface mine = interface, theirs = interface;
  return succeeded(targets.front()->addDeviceProgram(*modules.front(), mine)) &&
         succeeded(targets.front()->addDeviceProgram(other, theirs)) &&
         (!mine.device || mine.device->isLike(*theirs.device));
}

/// What a device runs; it is the only target of its library.
LogicalResult Compilation::addDeviceProgram() {
  if (!reaches(Stage::LLVM))
    return success();
  if (failed(targets.front()->addDeviceProgram(*modules.front(), interface)) ||
      failed(targets.front()->addDeviceCode(*modules.front(), interface)))
    return failure();
  if (interface.device)
    result.variants.front().arenaSize = interface.arenaBytes();
  return success();
}

LogicalResult Compilation::openSizes() {
  if (!model.importAgain || !reaches(Stage::LLVM))
    return success();
  // Other primes, if a feature of the model happens to be a multiple of one.
  std::string difference, error;
  options.progress("whether code is the same for all sizes");
  for (int primes = 1; primes < SizeOptions::choices; ++primes) {
    // What fails here, and did not with the first ones, is the prime's fault.
    ScopedDiagnosticHandler quiet(loc.getContext(), [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    if (succeeded(openSizes(primes, difference)) && difference.empty())
      return success();
  }
  return emitError(loc) << "sizes cannot lie in a range here: what is compiled is not the same for all of them ("
                        << (difference.empty() ? error : difference) << ")";
}

LogicalResult Compilation::makeWeights() {
  if (!interface.weightsSize)
    return success();
  FailureOr<WrittenWeights> written =
      writeWeights(*modules.back(), std::move(model.weights), interface.weightsSize, options);
  if (failed(written))
    return failure();
  result.weightsSize = written->size;
  result.weights = std::move(written->bytes);
  object = std::move(written->object);
  interface.weightsHash = written->hash;
  return success();
}

/// LLVM IR or assembly, for who asked for it.
LogicalResult Compilation::print(Stage stage) {
  if (!options.afterStage)
    return success();
  bool written = true;
  auto text = [&](llvm::raw_ostream &os) { written = succeeded(code->print(stage, os)); };
  return success(succeeded(options.afterStage(stage, "", text)) && written);
}

LogicalResult Compilation::emit() {
  options.progress("stage object");
  FailureOr<ObjectCode> made = code->emit(object ? result.weightsSize : 0);
  if (failed(made))
    return failure();
  result.codeSize = made->sizes.code;
  result.stackSize = made->sizes.stack;
  for (auto [variant, sizes] : llvm::zip_equal(result.variants, made->variants)) {
    variant.codeSize = sizes.code;
    variant.stackSize = sizes.stack;
  }
  if (!object) {
    result.object = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(made->bytes), interface.name + ".o",
                                                                    /*RequiresNullTerminator=*/false);
    return success();
  }
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> finished = object->finish(std::move(made->bytes));
  if (failed(finished))
    return failure();
  result.object = std::move(*finished);
  return success();
}

FailureOr<CompiledModel> Compilation::run() {
  FailureOr<std::vector<std::unique_ptr<Target>>> found = findTargets(loc, options);
  if (failed(found))
    return failure();
  targets = std::move(*found);
  if (failed(lower()))
    return failure();
  if (interface.states && targets.front()->getDevice() != hostDevice)
    return emitError(loc) << "a model with states is supported on CPUs, not on devices";
  if (failed(openSizes()) || failed(addDeviceProgram()))
    return failure();
  if (interface.device)
    result.deviceCode = interface.device->module;
  if (!reaches(Stage::LLVMIR))
    return std::move(result);
  interface.name = options.name;
  interface.positional = options.positional && interface.weightsSize == 0 && !interface.device && !interface.states;
  interface.embedWeights = options.embedWeights;
  interface.exportQuery = options.exportQuery;
  if (failed(makeWeights()))
    return failure();
  options.progress("stage llvmir");
  std::vector<TargetVariant> variants;
  for (auto [target, module] : llvm::zip_equal(targets, modules))
    variants.push_back({target.get(), *module});
  FailureOr<std::unique_ptr<TargetCode>> translated = targets.front()->translate(variants, interface);
  if (failed(translated))
    return failure();
  code = std::move(*translated);
  if (failed(print(Stage::LLVMIR)))
    return failure();
  if (!reaches(Stage::Object))
    return std::move(result);
  if (failed(print(Stage::Object)) || failed(emit()))
    return failure();
  result.whyNotHere = targets.front()->whyNotHere();
  result.arenaSize = interface.arenaBytes();
  result.workerSize = interface.workerSize;
  interface.stackSize = result.stackSize;
  HeaderNotes notes{options.commandLine, result.codeSize, {}};
  if (options.measure) {
    FailureOr<std::vector<std::string>> measured = options.measure(result);
    if (failed(measured))
      return failure();
    notes.measured = std::move(*measured);
  }
  result.header = makeHeader(interface, notes);
  return std::move(result);
}

LogicalResult heddle::checkOptions(MLIRContext &context, const CompileOptions &options, bool runsHere) {
  Location loc = UnknownLoc::get(&context);
  if (std::optional<std::string> wrong = findWrongChoice(context, options.strategies))
    return emitError(loc) << "--strategy: " << *wrong;
  FailureOr<std::vector<std::unique_ptr<Target>>> targets = findTargets(loc, options);
  if (failed(targets))
    return failure();
  if (std::string reason = targets->front()->whyNotHere(); runsHere && !reason.empty())
    return emitError(loc) << "--target: " << reason;
  return success();
}

FailureOr<CompiledModel> heddle::compileModel(Model model, const CompileOptions &options) {
  return Compilation(std::move(model), options).run();
}
