//===- Candidates.cpp - candidates of a benchmark -------------------------===//

#include "Candidates.h"

#include "heddle/Pipeline.h"

#include "Notes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <deque>

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

namespace {

/// Finds the candidates of one model: the choices of strategies with which the model is compiled and timed.
class Finder {
public:
  Finder(ModuleOp imported, const FieldOptions &options, bool &wrongUsage)
      : imported(imported), options(options), wrongUsage(wrongUsage), loc(imported.getLoc()) {}

  FailureOr<Field> run();

private:
  /// Runs the stages up to `kernels` and finds the kernels, their work, and the operation of a single-operation model.
  LogicalResult readKernels();
  /// Finds the strategy that the default pipeline chooses for each kernel.
  void readDefaults();
  /// Adds a candidate for each choice in FieldOptions::strategies.
  LogicalResult addChoices();
  /// Emits an error if an operation to tune is not in the model, or is not the operation of a single-operation model.
  LogicalResult checkTunedOps();
  bool isTuned(StringRef op) const {
    return options.tune && (options.tunedOps.empty() || llvm::is_contained(options.tunedOps, op));
  }
  /// Adds candidates for the strategies that all kernels of `op` can use. If `plain`, adds each strategy with its
  /// default knobs. If `knobs`, also adds, for every knob and every value other than its default, the strategy with
  /// only this knob changed. In a model of several operations, the default strategy with its default knobs is not
  /// added, as it equals the candidate "default". Adds the strategies that some kernel of `op` cannot use to
  /// Field::others.
  void addEligible(StringRef op, bool plain, bool knobs);
  /// Adds a candidate unless there is one with this name. `knobs` is "" or text such as ":panel=32".
  void add(StringRef op, StringRef strategy, StringRef knobs, bool tuned);

  /// Emits an error about the value of an option, and sets `wrongUsage`.
  LogicalResult refuse(const Twine &message) {
    wrongUsage = true;
    return emitError(loc) << message;
  }
  /// Returns the reason why some kernel of the strategy's operation cannot use the strategy, or nullopt if all these
  /// kernels can use it.
  std::optional<std::string> whyNotAll(const Strategy &strategy, const KnobValues &chosen = {});
  /// Returns the strategy that a choice names.
  FailureOr<const Strategy *> find(const StrategyChoice &choice);
  /// Returns a message that the model has no operation `op`, with the operations that it has.
  std::string whyMissing(StringRef op);

  ModuleOp imported;
  const FieldOptions &options;
  bool &wrongUsage;
  Location loc;
  // Kernels by operation. The keys are the text of StringAttrs, which the context owns.
  llvm::MapVector<StringRef, SmallVector<func::FuncOp>> kernelsOf;
  std::vector<Strategy> strategies; // all strategies for the target
  std::deque<Strategy> files; // strategies from files of the user; a deque keeps pointers to them valid
  StrategyOptions strategyOptions;
  Field field;
};

} // namespace

LogicalResult Finder::readKernels() {
  PipelineOptions pipeline;
  pipeline.target = field.target.get();
  field.lowered = imported.clone();
  if (failed(runStages(*field.lowered, Stage::Import, Stage::Kernels, pipeline)))
    return failure();
  field.work = modelWork(field.lowered->lookupSymbol<func::FuncOp>("main"));
  field.kernels = findKernels(*field.lowered);
  llvm::StringMap<unsigned> calls;
  for (const KernelInfo &kernel : field.kernels) {
    calls[kernel.function] = kernel.calls;
    kernelsOf[StringAttr::get(imported.getContext(), kernel.op).getValue()].push_back(
        field.lowered->lookupSymbol<func::FuncOp>(kernel.function));
  }
  // A model of a single layer may also contain elementwise operations, such as the conversion of a mask. They are
  // ignored here.
  SmallVector<StringRef> ops;
  unsigned rootCalls = 0;
  for (auto &[op, kernels] : kernelsOf)
    if (op != "general" || kernelsOf.size() == 1) {
      ops.push_back(op);
      for (func::FuncOp kernel : kernels)
        rootCalls += calls.lookup(kernel.getName());
    }
  if (ops.size() == 1 && rootCalls == 1)
    field.rootOp = ops.front().str();
  return success();
}

void Finder::readDefaults() {
  PipelineOptions pipeline;
  pipeline.target = field.target.get();
  OwningOpRef<ModuleOp> tiled = field.lowered.get().clone();
  // Errors are not reported here: if these stages fail, compiling the default also fails and reports the error.
  ScopedDiagnosticHandler quiet(tiled->getContext(), [](Diagnostic &) { return success(); });
  if (failed(runStages(*tiled, Stage::Kernels, Stage::Tile, pipeline)))
    return;
  for (KernelInfo &kernel : field.kernels)
    if (auto function = tiled->lookupSymbol<func::FuncOp>(kernel.function))
      if (std::optional<DictionaryAttr> note = notes::chosen.get(function))
        if (auto name = note->getAs<StringAttr>("name"))
          kernel.strategy = name.str();
}

std::optional<std::string> Finder::whyNotAll(const Strategy &strategy, const KnobValues &chosen) {
  for (func::FuncOp kernel : kernelsOf.lookup(strategy.op))
    if (std::optional<std::string> reason = whyNot(strategy, kernel, strategyOptions, chosen))
      return reason;
  return std::nullopt;
}

void Finder::add(StringRef op, StringRef strategy, StringRef knobs, bool tuned) {
  Candidate candidate;
  candidate.strategies.push_back((op + "=" + strategy + knobs).str());
  candidate.name = (field.rootOp.empty() ? op + "=" + strategy + knobs : strategy + knobs).str();
  candidate.tuned = tuned;
  if (llvm::none_of(field.candidates, [&](const Candidate &other) { return other.name == candidate.name; }))
    field.candidates.push_back(std::move(candidate));
}

void Finder::addEligible(StringRef op, bool plain, bool knobs) {
  for (const Strategy &strategy : strategies) {
    if (strategy.op != op)
      continue;
    if (std::optional<std::string> reason = whyNotAll(strategy)) {
      field.others.push_back({strategy.name, *reason});
      continue;
    }
    bool isDefault = llvm::all_of(kernelsOf.lookup(op), [&](func::FuncOp kernel) {
      return llvm::any_of(field.kernels, [&](const KernelInfo &info) {
        return info.function == kernel.getName() && info.strategy == strategy.name;
      });
    });
    if (plain && (!field.rootOp.empty() || !isDefault))
      add(op, strategy.name, "", !field.rootOp.empty() ? false : true);
    if (isDefault && !field.rootOp.empty() && plain)
      field.candidates.back().isDefault = true;
    KnobValues values = findKnobValues(strategy, strategyOptions.facts);
    for (const Knob &knob : strategy.knobs)
      for (int64_t option : knob.options)
        if (knobs && option != values[knob.name] && !whyNotAll(strategy, {{knob.name, option}}))
          add(op, strategy.name, (":" + knob.name + "=" + Twine(option)).str(), true);
  }
}

FailureOr<const Strategy *> Finder::find(const StrategyChoice &choice) {
  for (const Strategy &strategy : strategies)
    if (strategy.name == choice.strategy && strategy.op == choice.op)
      return &strategy;
  FailureOr<Strategy> file = loadStrategyFile(*imported.getContext(), choice.strategy);
  if (failed(file))
    return failure();
  if (file->op != choice.op)
    return refuse("strategy " + choice.strategy + " is for operation " + file->op + ", not for " + choice.op);
  files.push_back(std::move(*file));
  return &files.back();
}

std::string Finder::whyMissing(StringRef op) {
  return ("the model has no " + op + "; it has " +
          llvm::join(llvm::map_range(kernelsOf, [](auto &entry) { return entry.first; }), ", "))
      .str();
}

LogicalResult Finder::checkTunedOps() {
  for (const std::string &op : options.tunedOps) {
    if (kernelsOf.lookup(op).empty())
      return refuse("--tune=" + op + ": " + whyMissing(op));
    if (!field.rootOp.empty() && op != field.rootOp)
      return refuse("--tune=" + op + ": only " + field.rootOp + ", the only layer of the model, can be tuned");
  }
  return success();
}

LogicalResult Finder::addChoices() {
  for (const std::string &text : options.strategies) {
    std::string error;
    FailureOr<std::vector<std::string>> expanded = expandChoice(text, error);
    if (failed(expanded))
      return refuse(error);
    for (const std::string &one : *expanded) {
      if (std::optional<std::string> wrong = findWrongChoice(*imported.getContext(), one))
        return refuse(*wrong);
      StrategyChoice choice = *parseStrategyChoice(one, error);
      if (kernelsOf.lookup(choice.op).empty())
        return refuse("--strategy " + one + ": " + whyMissing(choice.op));
      FailureOr<const Strategy *> strategy = find(choice);
      if (failed(strategy))
        return failure();
      if (std::optional<std::string> wrong = findWrongKnob(**strategy, choice))
        return refuse(*wrong);
      StringRef knobs = StringRef(one).drop_front(choice.op.size() + 1 + choice.strategy.size());
      if (std::optional<std::string> reason = whyNotAll(**strategy, choice.knobs)) {
        if (llvm::none_of(field.others, [&](const Ineligible &other) { return other.strategy == choice.strategy; }))
          field.others.push_back({choice.strategy + knobs.str(), *reason});
        continue;
      }
      add(choice.op, choice.strategy, knobs, false);
    }
  }
  return success();
}

FailureOr<Field> Finder::run() {
  FailureOr<std::unique_ptr<Target>> target = createTarget(loc, options.compile.target);
  if (failed(target))
    return failure();
  field.target = std::move(*target);
  strategyOptions.facts = field.target->getFacts();
  strategyOptions.target = field.target->getDevice().str();
  FailureOr<std::vector<Strategy>> all = listStrategies(*imported.getContext());
  if (failed(all) || failed(readKernels()))
    return failure();
  if (failed(checkTunedOps()))
    return failure();
  strategies = std::move(*all);
  llvm::erase_if(strategies, [&](const Strategy &strategy) { return !isForTarget(strategy.target, strategyOptions.target); });
  readDefaults();
  if (field.rootOp.empty()) {
    field.candidates.push_back({"default", {}, true, false});
    for (auto &entry : kernelsOf)
      if (isTuned(entry.first))
        addEligible(entry.first, true, true);
  } else {
    addEligible(field.rootOp, true, isTuned(field.rootOp));
    if (llvm::none_of(field.candidates, [](const Candidate &candidate) { return candidate.isDefault; }))
      field.candidates.insert(field.candidates.begin(), {"default", {}, true, false});
    auto first = llvm::find_if(field.candidates, [](const Candidate &candidate) { return candidate.isDefault; });
    std::rotate(field.candidates.begin(), first, first + 1);
  }
  if (failed(addChoices()))
    return failure();
  return std::move(field);
}

FailureOr<Field> heddle::bench::findCandidates(ModuleOp imported, const FieldOptions &options, bool &wrongUsage) {
  return Finder(imported, options, wrongUsage).run();
}

void Field::countAt(ArrayRef<size_t> sizes) {
  OwningOpRef<ModuleOp> counted = countableAt(*lowered, sizes);
  work = modelWork(counted->lookupSymbol<func::FuncOp>("main"));
  for (auto [kernel, found] : llvm::zip_equal(kernels, findKernels(*counted))) {
    kernel.shape = found.shape;
    kernel.work = found.work;
  }
}
