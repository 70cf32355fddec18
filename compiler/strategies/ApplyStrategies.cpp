//===- ApplyStrategies.cpp - chooses and runs strategies ------------------===//

#include "Heddle.h"
#include "heddle/Devices.h"
#include "heddle/KnobNames.h"
#include "heddle/Strategy.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

Operation *heddle::kernelRoot(func::FuncOp kernel) {
  Operation *softmax = nullptr, *contraction = nullptr, *last = nullptr;
  for (Operation &op : kernel.front().without_terminator()) {
    if (isa<LayerOpInterface>(op))
      return &op;
    if (isa<linalg::SoftmaxOp>(op))
      softmax = &op;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && linalg::isaContractionOpInterface(linalgOp))
      contraction = &op;
    last = &op;
  }
  return softmax ? softmax : contraction ? contraction : last;
}

std::string heddle::kernelOp(func::FuncOp kernel) {
  Operation *root = kernelRoot(kernel);
  if (!root)
    return "";
  if (isa<LayerOpInterface>(root))
    return root->getName().stripDialect().str();
  if (isa<linalg::SoftmaxOp>(root))
    return "softmax";
  auto linalgOp = dyn_cast<linalg::LinalgOp>(root);
  return linalgOp && linalg::isaContractionOpInterface(linalgOp) ? "contraction" : "general";
}

/// Runs the named sequence `name` of the strategy on `payload`. `knobs` are the values of all knobs. If `reason` is not
/// null, suppresses diagnostics and sets `reason` to the text of the first diagnostic.
static LogicalResult runSequence(const Strategy &strategy, const KnobValues &knobs, StringRef name, Operation *payload,
                                 std::string *reason) {
  ModuleOp library = strategy.module->get();
  library.walk([&](transform::tune::KnobOp op) {
    if (auto value = knobs.find(op.getName().str()); value != knobs.end())
      op.setSelectedAttr(IntegerAttr::get(cast<IntegerAttr>(*op.getSelected()).getType(), value->second));
  });
  auto sequence = library.lookupSymbol<transform::NamedSequenceOp>(name);
  transform::TransformOptions options;
  auto run = [&] { return transform::applyTransformNamedSequence(payload, sequence, ModuleOp(), options); };
  if (!reason)
    return run();
  ScopedDiagnosticHandler handler(payload->getContext(), [&](Diagnostic &diagnostic) {
    if (reason->empty())
      *reason = diagnostic.str();
    return success();
  });
  return run();
}

bool heddle::isForTarget(StringRef strategies, StringRef target) {
  return strategies == target || (strategies == anyDevice && target != hostDevice && findDeviceKind(target));
}

std::optional<std::string> heddle::whyNot(const Strategy &strategy, const StrategyOptions &options) {
  if (!isForTarget(strategy.target, options.target))
    return "is for target '" + strategy.target + "', not for target '" + options.target + "'";
  for (const std::string &feature : strategy.features)
    if (!llvm::is_contained(options.facts.features, feature))
      return "needs " + feature + ", which code for this CPU cannot use";
  return std::nullopt;
}

/// The name of each knob that a target fact limits, and the name of this fact.
static constexpr std::pair<const char *, const char *> limitedKnobs[] = {{"vector_bits", "vector_bits"},
                                                                         {"vector_registers", "vector_registers"},
                                                                         {"workgroup_kib", "workgroup_kib"},
                                                                         {"workgroup_threads", "workgroup_threads"},
                                                                         {"threads", "workgroup_threads"},
                                                                         {"tile_kib", "tile_kib"},
                                                                         {"part_workgroups", "part_workgroups"},
                                                                         {"stages", "tile_stages"}};

/// Returns the largest value of the knob that the target allows, or nothing if no fact of the target limits the knob.
static std::optional<int64_t> maxOf(StringRef knob, const TargetFacts &facts) {
  for (auto [name, limit] : limitedKnobs)
    if (auto maximum = facts.limits.find(limit); knob == name && maximum != facts.limits.end())
      return maximum->second;
  return std::nullopt;
}

std::optional<std::string> heddle::whyNot(const Strategy &strategy, func::FuncOp kernel,
                                          const StrategyOptions &options, const KnobValues &chosen) {
  if (std::optional<std::string> reason = whyNot(strategy, options))
    return reason;
  const KnobValues knobs = findKnobValues(strategy, options.facts, chosen);
  for (auto &[name, value] : knobs)
    if (std::optional<int64_t> maximum = maxOf(name, options.facts); maximum && value > *maximum)
      return llvm::formatv("knob `{0}` is at most {1} on this {2}, found {3}", name, *maximum,
                           options.target == hostDevice ? "CPU" : "device", value);
  std::string reason;
  if (failed(runSequence(strategy, knobs, "match", kernelRoot(kernel), &reason)))
    return reason.empty() ? "the strategy's sequence @match fails without an error message" : reason;
  return std::nullopt;
}

/// Returns whether the facts in `values` reach all limits of `entry`. If so, this default value of a knob applies.
static bool reaches(const KnobValues &values, const KnobDefault &entry) {
  return llvm::all_of(entry.limits, [&](const KnobValues::value_type &limit) {
    auto value = values.find(limit.first);
    return value != values.end() && value->second >= limit.second;
  });
}

KnobValues heddle::findKnobValues(const Strategy &strategy, const TargetFacts &facts, const KnobValues &chosen) {
  KnobValues known = chosen, values;
  known.insert(facts.limits.begin(), facts.limits.end());
  for (const Knob &knob : strategy.knobs) {
    int64_t &value = values[knob.name] = knob.selected;
    for (const KnobDefault &entry : knob.defaults)
      if (reaches(known, entry))
        value = entry.value;
    // Returns the option nearest to `number`. Options above `maximum` are used only if there are no others.
    auto nearest = [&](int64_t number, int64_t maximum) {
      auto rank = [&](int64_t option) { return std::pair(option > maximum, std::abs(option - number)); };
      return *llvm::min_element(knob.options, [&](int64_t left, int64_t right) { return rank(left) < rank(right); });
    };
    std::optional<int64_t> maximum = maxOf(knob.name, facts);
    if (auto limit = known.find(knob.name); limit != known.end())
      value = nearest(limit->second, chosen.count(knob.name) ? limit->second : maximum.value_or(INT64_MAX));
    else if (maximum && value > *maximum)
      value = nearest(*maximum, *maximum);
  }
  return values;
}

namespace {
/// The strategies that a call of applyStrategies has parsed: strategies that are embedded in the program, and files of
/// the user.
class Library {
public:
  Library(MLIRContext &context, const StrategyOptions &options) : context(context), options(options) {}

  /// Returns the embedded strategies for an operation. Parses them in the first call for this operation.
  FailureOr<std::vector<Strategy> *> strategiesFor(StringRef op) {
    auto [known, isNew] = strategies.try_emplace(op);
    if (isNew) {
      FailureOr<std::vector<Strategy>> embedded = listStrategies(context, op);
      if (failed(embedded))
        return failure();
      known->second = std::move(*embedded);
    }
    return &known->second;
  }

  /// Returns the embedded strategy for `op` with this name, or else the strategy in the file with this path.
  FailureOr<const Strategy *> find(Location loc, StringRef op, StringRef name) {
    auto [known, isNew] = named.try_emplace((op + "=" + name).str());
    if (!isNew)
      return &known->second;
    const EmbeddedStrategy *embedded = llvm::find_if(
        embeddedStrategies(), [&](const EmbeddedStrategy &entry) { return entry.op == op && entry.name == name; });
    bool isEmbedded = embedded != embeddedStrategies().end();
    if (!isEmbedded && !name.ends_with(".mlir"))
      return emitError(loc) << "no strategy is called " << name << " for " << op
                            << "; 'heddle strategies' lists all strategies";
    FailureOr<Strategy> parsed =
        isEmbedded ? parseStrategy(context, name, embedded->text) : loadStrategyFile(context, name);
    if (failed(parsed))
      return failure();
    if (parsed->op != op)
      return emitError(loc) << "strategy " << name << " is for operation " << parsed->op << ", not for " << op;
    known->second = std::move(*parsed);
    return &known->second;
  }

  /// Returns the strategy for a kernel, with its knob values: the user's choice, or else the eligible strategy with the
  /// highest priority. Emits an error if there is none, or if the user's choice is not eligible.
  FailureOr<std::pair<const Strategy *, KnobValues>> choose(func::FuncOp kernel) {
    std::string op = kernelOp(kernel);
    for (const StrategyChoice &choice : options.choices) {
      if (choice.op != op)
        continue;
      FailureOr<const Strategy *> strategy = find(kernel.getLoc(), op, choice.strategy);
      if (failed(strategy))
        return failure();
      if (std::optional<std::string> wrong = findWrongKnob(**strategy, choice))
        return emitError(kernel.getLoc()) << *wrong;
      if (std::optional<std::string> reason = whyNot(**strategy, kernel, options, choice.knobs))
        return emitError(kernel.getLoc()) << "strategy " << choice.strategy << ": " << *reason;
      used.insert(op);
      return std::make_pair(*strategy, findKnobValues(**strategy, options.facts, choice.knobs));
    }
    FailureOr<std::vector<Strategy> *> known = strategiesFor(op);
    if (failed(known))
      return failure();
    InFlightDiagnostic error = emitError(kernel.getLoc()) << "no strategy for " << op << " is eligible";
    for (const Strategy &strategy : **known) {
      std::optional<std::string> reason = whyNot(strategy, kernel, options);
      if (!reason) {
        error.abandon();
        return std::make_pair(&strategy, findKnobValues(strategy, options.facts));
      }
      error.attachNote() << strategy.name << ": " << *reason;
    }
    return FailureOr<std::pair<const Strategy *, KnobValues>>(error);
  }

  /// Warns about choices for operations that no kernel contains.
  void warnOfUnused(Location loc) const {
    for (const StrategyChoice &choice : options.choices)
      if (!used.contains(choice.op))
        emitWarning(loc) << "the model has no kernel for operation " << choice.op << ": strategy " << choice.strategy
                         << " has no effect";
  }

private:
  MLIRContext &context;
  const StrategyOptions &options;
  llvm::StringMap<std::vector<Strategy>> strategies; // the embedded strategies by operation
  llvm::StringMap<Strategy> named;                   // the results of `find`; the key is OP=NAME
  llvm::StringSet<> used;                            // operations for which a choice of the user was applied
};
} // namespace

/// Returns the annotation that stores a kernel's strategy and knob values. The tile step sets it and the vectorize step
/// reads it.
static DictionaryAttr makeNote(Builder builder, const Strategy &strategy, const KnobValues &knobs) {
  SmallVector<NamedAttribute> values;
  for (auto &[name, value] : knobs)
    values.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
  return builder.getDictionaryAttr({
      builder.getNamedAttr("op", builder.getStringAttr(strategy.op)),
      builder.getNamedAttr("name", builder.getStringAttr(strategy.name)),
      builder.getNamedAttr("knobs", builder.getDictionaryAttr(values)),
  });
}

/// Runs the sequence `sequence` of the strategy on a kernel. Emits an error and fails if the sequence fails.
static LogicalResult runStep(func::FuncOp kernel, const Strategy &strategy, const KnobValues &knobs,
                             StringRef sequence) {
  if (failed(runSequence(strategy, knobs, sequence, kernel, nullptr)))
    return emitError(kernel.getLoc()) << "strategy " << strategy.name << " failed in @" << sequence;
  return success();
}

LogicalResult heddle::applyStrategies(ModuleOp module, const StrategyOptions &options, StrategyStep step) {
  Library library(*module.getContext(), options);
  Builder builder(module.getContext());
  for (func::FuncOp kernel : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (!notes::kernel.has(kernel) || kernel.isDeclaration() || !kernelRoot(kernel))
      continue;
    if (step == StrategyStep::Tile) {
      auto choice = library.choose(kernel);
      kernel->setLoc(kernelRoot(kernel)->getLoc()); // the location of the layer, not of an op fused into it
      if (failed(choice) || failed(runStep(kernel, *choice->first, choice->second, "tile")))
        return failure();
      notes::chosen.set(kernel, makeNote(builder, *choice->first, choice->second));
      continue;
    }
    DictionaryAttr note = notes::chosen.get(kernel).value_or(DictionaryAttr());
    if (!note || !note.getAs<StringAttr>("op") || !note.getAs<StringAttr>("name") || !note.getAs<DictionaryAttr>("knobs"))
      return kernel.emitError() << "expected the annotation of the kernel's strategy (" << notes::chosen.name
                                << "), which the tile step sets";
    FailureOr<const Strategy *> strategy =
        library.find(kernel.getLoc(), note.getAs<StringAttr>("op"), note.getAs<StringAttr>("name"));
    if (failed(strategy))
      return failure();
    KnobValues knobs;
    for (NamedAttribute knob : note.getAs<DictionaryAttr>("knobs"))
      if (auto value = dyn_cast<IntegerAttr>(knob.getValue()))
        knobs[currentKnobName(KnobKind::Strategy, knob.getName()).str()] = value.getInt();
    if (failed(runStep(kernel, **strategy, knobs, "vectorize")))
      return failure();
  }
  if (step == StrategyStep::Tile)
    library.warnOfUnused(module.getLoc());
  return success();
}
