//===- LowerModel.cpp - runs the stages from recognise to llvm ------------===//

#include "LowerModel.h"

#include "compile/SubstituteSizes.h"
#include "heddle/Devices.h"
#include "heddle/Pipeline.h"

#include "Notes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

/// Reads the interface of the model at the stages plan to loops. At these stages, the arguments of @main are buffers
/// with element types. Does nothing at other stages.
LogicalResult LowerModel::readInterface(ModuleOp module, Stage stage) {
  if (stage < Stage::Plan || stage > Stage::Loops)
    return success();
  FailureOr<ModelInterface> read = heddle::readInterface(module);
  if (failed(read))
    return failure();
  interface = std::move(*read);
  return success();
}

/// Runs the stages after `from` up to `to`. `target` defines the stages from tile on; null if `to` is an earlier stage.
LogicalResult LowerModel::runStages(ModuleOp module, Stage from, Stage to, const Target *target) {
  PipelineOptions pipeline;
  pipeline.target = target ? target : findOnlyTarget();
  pipeline.strategies = options.strategies;
  pipeline.beforeStage = [&](Stage stage) {
    options.progress(("stage " + stageName(stage) + (target ? " for " + target->getName() : "") +
                      (sizes.empty() ? "" : " and " + sizes))
                         .str());
  };
  pipeline.afterStage = [&](Stage stage, ModuleOp module) -> LogicalResult {
    if (options.changeModule && failed(options.changeModule(stage, module)))
      return failure();
    if (stage == Stage::Recognise || stage == Stage::Fuse)
      scales.find(module);
    if (failed(readInterface(module, stage)))
      return failure();
    if (!options.afterStage)
      return success();
    std::string variant = target && targets.size() > 1 ? target->getName().str() : "";
    variant += (variant.empty() || sizes.empty() ? "" : "-") + llvm::join(llvm::split(sizes, ' '), ",");
    return options.afterStage(stage, variant, [&](llvm::raw_ostream &os) {
      module.print(os);
      os << "\n";
    });
  };
  return heddle::runStages(module, from, to, pipeline);
}

void LowerModel::continueWeights(ModuleOp module, ArrayRef<OwningOpRef<ModuleOp>> known) {
  if (known.empty() && before)
    known = before->modules;
  if (known.empty())
    return;
  notes::weightTable.set(module, *notes::weightTable.get(*known.back()));
  notes::weightsSize.set(module, *notes::weightsSize.get(*known.back()));
}

/// Runs the stages from tile to llvm for one target. Its code uses the weights of the previous targets and may add
/// weights.
LogicalResult LowerModel::lowerVariant(const Target &target, ModuleOp module) {
  ModelInterface known = std::move(interface);
  continueWeights(module, modules);
  // Warnings were already emitted for the first target or class, so drop them.
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &diagnostic) {
    return success((before || !modules.empty()) && diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  Stage from = std::max(options.from, Stage::Kernels);
  if (failed(readInterface(module, from)) || failed(runStages(module, from, options.to, &target)))
    return failure();
  interface.variants = {{target.getName().str(), target.describe()}};
  variants.push_back({target.getName().str(), sizes, 0, interface.arenaBytes(), uint64_t(interface.workerSize), 0});
  if (!known.variants.empty()) {
    addVariant(known, interface);
    interface = std::move(known);
  }
  return success();
}

/// Runs the stages from recognise to llvm. The stages up to kernels run once for all targets.
LogicalResult LowerModel::lower() {
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

/// Runs the stages again with another set of placeholders and compares the two results. If they differ only in numbers
/// that depend on sizes, replaces these numbers by computations with the sizes of the call, and clears `difference`.
/// Otherwise, sets `difference` to the name of the function that differs. If no function differs but the results must
/// be compared with a further set of placeholders (SizesSubstituted::Unsure), sets `difference` to the name of any
/// function.
LogicalResult LowerModel::substituteSizes(int placeholderSet, std::string &difference) {
  SizeOptions sizes;
  sizes.placeholderSet = placeholderSet;
  FailureOr<Model> other = model.importAgain(sizes);
  if (failed(other))
    return failure();
  PipelineOptions pipeline;
  pipeline.target = findOnlyTarget();
  pipeline.strategies = options.strategies;
  pipeline.afterStage = [&](Stage stage, ModuleOp module) {
    return options.changeModule ? options.changeModule(stage, module) : success();
  };
  if (failed(heddle::runStages(*other->module, options.from, Stage::Kernels, pipeline)))
    return failure();
  std::vector<OwningOpRef<ModuleOp>> others;
  for (const std::unique_ptr<Target> &target : targets) {
    OwningOpRef<ModuleOp> module = other->module->clone();
    continueWeights(*module, others);
    pipeline.target = target.get();
    if (failed(heddle::runStages(*module, Stage::Kernels, options.to, pipeline)))
      return failure();
    others.push_back(std::move(module));
  }
  difference = "@main";
  SizesSubstituted substituted = SizesSubstituted::No;
  if (isSameProgram(*others.front()))
    substituted = heddle::substituteSizes(
        modules, others, unsure,
        [&](FunctionOpInterface func, const Sizes &sizes) { return targets.front()->makeSizeArithmetic(func, sizes); },
        difference);
  if (substituted == SizesSubstituted::Yes)
    difference.clear();
  if (substituted == SizesSubstituted::Unsure)
    unsure = std::move(others);
  return success();
}

/// Returns whether the device program (kernels, buffers and launches) of `other`, which was compiled with another set
/// of placeholders, is the same except for its code. Returns true if the code is for a CPU.
bool LowerModel::isSameProgram(ModuleOp other) {
  ModelInterface mine = interface, theirs = interface;
  return succeeded(targets.front()->addDeviceProgram(*modules.front(), mine)) &&
         succeeded(targets.front()->addDeviceProgram(other, theirs)) &&
         (!mine.device || mine.device->isEqualExceptCode(*theirs.device));
}

/// Adds the program and the code for a device, which is always the only target of its library.
LogicalResult LowerModel::addDeviceProgram() {
  if (!reaches(Stage::LLVM))
    return success();
  if (failed(targets.front()->addDeviceProgram(*modules.front(), interface)) ||
      failed(targets.front()->addDeviceCode(*modules.front(), interface)))
    return failure();
  if (interface.device)
    variants.front().arenaSize = interface.arenaBytes();
  return success();
}

LogicalResult LowerModel::substituteSizes() {
  if (!model.importAgain || !reaches(Stage::LLVM))
    return success();
  // A constant of the model may be a multiple of a placeholder by chance, so the comparison with one set of
  // placeholders may fail. Therefore, try further sets.
  std::string difference, error;
  options.progress("checking that the code is the same for all sizes");
  for (int placeholderSet = 1; placeholderSet < SizeOptions::choices; ++placeholderSet) {
    // The placeholders cause any error here, since there was no error with the first set.
    ScopedDiagnosticHandler quiet(loc.getContext(), [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    if (succeeded(substituteSizes(placeholderSet, difference)) && difference.empty())
      return success();
  }
  return emitError(loc) << "the sizes of this model cannot lie in a range: the code is not the same for all sizes ("
                        << (difference.empty() ? error : difference) << ")";
}

LogicalResult LowerModel::run(const LowerModel *other) {
  before = other;
  if (failed(lower()))
    return failure();
  if (interface.states && targets.front()->getDevice() != hostDevice)
    for (const InterfaceState &state : interface.states->all)
      if (state.isReplaced)
        return emitError(loc) << "state \"" << state.tensor.name << "\" is replaced by each call, which is supported on "
                              << "CPUs, not on devices";
  return success(succeeded(substituteSizes()) && succeeded(addDeviceProgram()));
}
