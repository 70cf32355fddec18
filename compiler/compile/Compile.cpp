//===- Compile.cpp - compiles models to objects ---------------------------===//

#include "heddle/Compile.h"

#include "abi/EntryPoints.h"
#include "abi/Header.h"
#include "abi/ModelInterface.h"
#include "compile/LowerClasses.h"
#include "compile/WriteWeights.h"
#include "heddle/Strategy.h"

#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace mlir;
using namespace heddle;

namespace {
/// One run of compileModel.
class Compilation {
public:
  Compilation(Model model, const CompileOptions &options)
      : model(std::move(model)), options(options), loc(this->model.module->getLoc()) {}

  FailureOr<CompiledModel> run();

private:
  // These functions are steps of run(), in this order.
  LogicalResult lower();
  LogicalResult makeWeights();
  void identify();
  LogicalResult print(Stage stage);
  LogicalResult emit();
  /// Returns whether `stage` is not after the last stage that the options request.
  bool reaches(Stage stage) const { return int(options.to) >= int(stage); }

  Model model;
  const CompileOptions &options;
  Location loc;
  std::vector<std::unique_ptr<Target>> targets;
  std::vector<std::unique_ptr<LowerModel>> classes; // one for each class of sizes, or one for the whole model
  const LowerModel *last = nullptr;                 // the element that was lowered last; its modules list all weights
  ModelInterface interface;
  std::unique_ptr<TargetCode> code;
  std::unique_ptr<WeightsObject> object; // the object that contains the weights; null if they are not embedded
  CompiledModel result;
};
} // namespace

/// Returns the targets of the options. If a module of the last stage is for one CPU only, returns the target for the
/// best of the default CPUs, or emits an error if the user named several CPUs.
static FailureOr<std::vector<std::unique_ptr<Target>>> findTargets(Location loc, const CompileOptions &options) {
  auto targets = createTargets(loc, options.target);
  if (failed(targets) || targets->size() == 1 || options.to <= Stage::Kernels || options.to >= Stage::LLVMIR)
    return targets;
  if (!options.target.cpu.empty())
    return emitError(loc) << "--mcpu: stage " << stageName(options.to) << " supports only one CPU, found "
                          << options.target.cpu;
  targets->resize(1);
  return targets;
}

/// Runs the stages from recognise to llvm.
LogicalResult Compilation::lower() {
  if (model.classes.empty()) {
    classes.push_back(std::make_unique<LowerModel>(
        Model{std::move(model.module), {}, std::move(model.importAgain)}, options, targets));
    last = classes.back().get();
    if (failed(classes.back()->run()))
      return failure();
    interface = std::move(classes.back()->interface);
  } else {
    FailureOr<LoweredClasses> lowered = lowerClasses(model, options, targets);
    if (failed(lowered))
      return failure();
    classes = std::move(lowered->classes);
    last = lowered->last;
    interface = std::move(lowered->interface);
  }
  for (const std::unique_ptr<LowerModel> &one : classes)
    llvm::append_range(result.variants, one->variants);
  return success();
}

/// Writes the block of weights, and sets its size and hash.
LogicalResult Compilation::makeWeights() {
  if (!interface.weightsSize)
    return success();
  ScaleLimit scales;
  for (const std::unique_ptr<LowerModel> &one : classes)
    scales.add(one->scales);
  FailureOr<WrittenWeights> written =
      writeWeights(*last->getModules().back(), std::move(model.weights), interface.weightsSize, scales, options);
  if (failed(written))
    return failure();
  result.weightsSize = written->size;
  result.weights = std::move(written->bytes);
  object = std::move(written->object);
  interface.weightsHash = written->hash;
  return success();
}

/// Sets the identity of a model with states: a hash with which a call detects and refuses the state of another model.
/// If the model has files, the identity is computed from the files and not from the hash of the block of weights, since
/// the layout of the block depends on CPUs and classes.
void Compilation::identify() {
  if (interface.states)
    interface.identity = model.identify ? model.identify() : uint64_t(interface.weightsHash);
  model.identify = nullptr; // frees the files to which it refers
}

/// Passes LLVM IR or assembly to the callback options.afterStage if it is set.
LogicalResult Compilation::print(Stage stage) {
  if (!options.afterStage)
    return success();
  bool written = true;
  auto text = [&](llvm::raw_ostream &os) { written = succeeded(code->print(stage, os)); };
  return success(succeeded(options.afterStage(stage, "", text)) && written);
}

/// Emits the object with the code and, if they are embedded, the weights. Sets the sizes of code and stacks in the
/// result.
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
  identify();
  for (ModelInterface &one : interface.classes) {
    one.name = interface.name;
    one.identity = interface.identity;
    one.weightsSize = interface.weightsSize;
    one.weightsHash = interface.weightsHash;
  }
  options.progress("stage llvmir");
  std::vector<TargetVariant> variants;
  for (const std::unique_ptr<LowerModel> &one : classes)
    for (auto [target, module] : llvm::zip_equal(targets, one->getModules()))
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
