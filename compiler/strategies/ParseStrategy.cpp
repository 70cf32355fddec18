//===- ParseStrategy.cpp - reads and checks strategy files ----------------===//

#include "heddle/InputFile.h"
#include "heddle/Devices.h"
#include "heddle/KnobNames.h"
#include "heddle/ParseMlir.h"
#include "heddle/Strategy.h"

#include "Notes.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace heddle;

static constexpr StringLiteral attributeName = notes::strategy.name, defaultsName = "defaults";

/// Returns whether the attribute is an integer of type i64. MLIR gives this type to integers that are written without a
/// type.
static bool isNumber(Attribute attr) {
  auto number = dyn_cast_if_present<IntegerAttr>(attr);
  return number && number.getType().isInteger(64);
}

/// Returns the entry `key` of the dictionary, or emits an error. `kind` describes the expected value in the message.
template <typename AttrTy>
static FailureOr<AttrTy> getEntry(ModuleOp module, DictionaryAttr dict, StringRef key, StringRef kind) {
  if (auto attr = dict.getAs<AttrTy>(key))
    return attr;
  return module.emitError() << attributeName << " needs `" << key << "`, " << kind;
}

/// Reads the attribute heddle.strategy into `strategy`. Emits an error and fails if the attribute is not valid.
static LogicalResult readDictionary(ModuleOp module, Strategy &strategy) {
  DictionaryAttr dict = notes::strategy.get(module).value_or(DictionaryAttr());
  if (!dict)
    return module.emitError() << "a strategy is a module with the dictionary attribute " << attributeName;
  for (NamedAttribute entry : dict)
    if (!llvm::is_contained({"op", "target", "features", "priority"}, entry.getName().getValue()))
      return module.emitError() << attributeName << " has an unknown entry `" << entry.getName().getValue()
                                << "`; the valid entries are op, target, features and priority";
  FailureOr<StringAttr> op = getEntry<StringAttr>(module, dict, "op", "a string");
  FailureOr<StringAttr> target = getEntry<StringAttr>(module, dict, "target", "a string");
  FailureOr<ArrayAttr> features = getEntry<ArrayAttr>(module, dict, "features", "a list of strings");
  FailureOr<IntegerAttr> priority = getEntry<IntegerAttr>(module, dict, "priority", "an integer");
  if (failed(op) || failed(target) || failed(features) || failed(priority))
    return failure();
  if (!isNumber(*priority))
    return module.emitError() << attributeName << " needs `priority`, an integer of 64 bits";
  strategy.op = op->str();
  strategy.target = target->str();
  strategy.priority = priority->getInt();
  for (Attribute feature : *features) {
    auto text = dyn_cast<StringAttr>(feature);
    if (!text)
      return module.emitError() << attributeName << " needs `features`, a list of strings";
    strategy.features.push_back(text.str());
  }
  return success();
}

/// Emits an error and fails if the named sequence is missing or has the wrong type.
static LogicalResult checkSequence(ModuleOp module, StringRef name) {
  auto sequence = module.lookupSymbol<transform::NamedSequenceOp>(name);
  if (!sequence)
    return module.emitError() << "a strategy needs the named sequence @" << name;
  if (sequence.getFunctionType().getNumInputs() != 1 ||
      !isa<transform::AnyOpType>(sequence.getFunctionType().getInput(0)))
    return sequence.emitError() << "@" << name << " must have one argument, of type !transform.any_op";
  return success();
}

/// Replaces each declared sequence by the sequence of this name that the target's strategies share. If the strategies
/// for one kind of device share none of their own, those for all devices are used.
static LogicalResult completeSequences(ModuleOp module, StringRef target) {
  OwningOpRef<ModuleOp> shared;
  for (auto declared : llvm::to_vector(module.getOps<transform::NamedSequenceOp>())) {
    if (!declared.isExternal())
      continue;
    StringRef text = sharedSequences(target);
    if (text.empty() && target != hostDevice && findDeviceKind(target))
      text = sharedSequences(anyDevice);
    if (!shared && !text.empty())
      shared = parseSourceString<ModuleOp>(text, ParserConfig(module.getContext()));
    Operation *sequence = shared ? shared->lookupSymbol(declared.getSymName()) : nullptr;
    if (!sequence)
      return declared.emitError() << "@" << declared.getSymName()
                                  << " has no body, and no sequence that strategies for " << target
                                  << " share has this name";
    OpBuilder(declared).clone(*sequence);
    declared.erase();
  }
  return success();
}

/// Fails if an operation has an unknown attribute. MLIR would ignore a misspelt unit attribute, such as a flag of a
/// transform operation, and the strategy would then generate other code.
static LogicalResult rejectUnknownAttributes(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    for (NamedAttribute attr : op->getDiscardableAttrs()) {
      StringRef name = attr.getName().getValue();
      bool known = op == module ? name == attributeName ||
                                      name == transform::TransformDialect::kWithNamedSequenceAttrName
                                : isa<transform::tune::KnobOp>(op) && name == defaultsName;
      if (!known) {
        op->emitError() << "unknown attribute `" << name << "`";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Reads the attribute `defaults` of a knob: a list of dictionaries. Each contains minimum values of target facts, and
/// the value of the knob on targets that reach these minimums.
static LogicalResult readDefaults(transform::tune::KnobOp op, Knob &knob) {
  Attribute attr = op->getDiscardableAttr(defaultsName);
  auto entries = dyn_cast_if_present<ArrayAttr>(attr);
  if (attr && !entries)
    return op.emitError() << defaultsName << " must be a list of dictionaries";
  for (Attribute entry : entries ? entries.getValue() : ArrayRef<Attribute>()) {
    KnobDefault found;
    auto dict = dyn_cast<DictionaryAttr>(entry);
    if (!dict || !dict.contains("value") || !llvm::all_of(dict, [](NamedAttribute limit) { return isNumber(limit.getValue()); }))
      return op.emitError() << defaultsName << " needs dictionaries that contain `value` and only integers, found "
                            << entry;
    for (NamedAttribute limit : dict) {
      int64_t number = cast<IntegerAttr>(limit.getValue()).getInt();
      if (limit.getName() == "value")
        found.value = number;
      else if (llvm::is_contained(limitNames, limit.getName()))
        found.limits[limit.getName().str()] = number;
      else
        return op.emitError() << defaultsName << ": there is no target fact `" << limit.getName().getValue()
                              << "`; the target facts are " << llvm::join(ArrayRef(limitNames), ", ");
    }
    if (!llvm::is_contained(knob.options, found.value))
      return op.emitError() << defaultsName << ": " << found.value << " is not an option of knob `" << knob.name << "`";
    knob.defaults.push_back(std::move(found));
  }
  return success();
}

/// Reads all knobs of the module. If the file uses an earlier name of a knob, replaces it by the current name. Several
/// operations may declare the same knob if their options and defaults are equal.
static LogicalResult readKnobs(ModuleOp module, Strategy &strategy) {
  llvm::StringMap<transform::tune::KnobOp> known;
  llvm::StringMap<std::string> written; // from the current name of each knob to its name in the file
  WalkResult result = module.walk([&](transform::tune::KnobOp op) {
    StringRef name = currentKnobName(KnobKind::Strategy, op.getName());
    std::string inFile = op.getName().str();
    auto [earlier, isFirst] = written.try_emplace(name, inFile);
    if (!isFirst && earlier->second != inFile) {
      op.emitError() << "`" << earlier->second << "` and `" << inFile
                     << "` are two names of one knob; use the name `" << name << "`";
      return WalkResult::interrupt();
    }
    op.setNameAttr(StringAttr::get(op.getContext(), name));
    Knob knob{op.getName().str(), 0, {}, {}};
    Attribute selected = op.getSelected().value_or(Attribute());
    auto options = dyn_cast<ArrayAttr>(op.getOptions());
    if (!isNumber(selected) || !options || !llvm::all_of(options, isNumber)) {
      op.emitError() << "knob `" << knob.name << "` needs a default and a list of integers as options";
      return WalkResult::interrupt();
    }
    knob.selected = cast<IntegerAttr>(selected).getInt();
    for (IntegerAttr option : options.getAsRange<IntegerAttr>())
      knob.options.push_back(option.getInt());
    auto [other, isNew] = known.try_emplace(knob.name, op);
    if (!isNew && other->second->getAttrDictionary() == op->getAttrDictionary())
      return WalkResult::advance();
    if (!isNew) {
      op.emitError() << "knob `" << knob.name << "` has another default or other options elsewhere in the file";
      return WalkResult::interrupt();
    }
    if (failed(readDefaults(op, knob)))
      return WalkResult::interrupt();
    strategy.knobs.push_back(std::move(knob));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<Strategy> heddle::parseStrategy(MLIRContext &context, StringRef name, StringRef text) {
  Strategy strategy;
  strategy.name = name.str();
  strategy.text = text.str();
  FailureOr<OwningOpRef<ModuleOp>> module = parseMlirText(context, name, text);
  if (failed(module))
    return failure();
  ModuleOp root = **module;
  strategy.module = std::make_shared<OwningOpRef<ModuleOp>>(std::move(*module));
  if (failed(readDictionary(root, strategy)) || failed(rejectUnknownAttributes(root)) ||
      failed(completeSequences(root, strategy.target)))
    return failure();
  for (StringRef sequence : {"match", "tile", "vectorize"})
    if (failed(checkSequence(root, sequence)))
      return failure();
  if (failed(readKnobs(root, strategy)))
    return failure();
  return strategy;
}

FailureOr<Strategy> heddle::loadStrategyFile(MLIRContext &context, StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readRegularFile(path, /*isText=*/true);
  if (!buffer)
    return emitError(UnknownLoc::get(&context)) << "the strategy " << path << ": " << llvm::toString(buffer.takeError());
  return parseStrategy(context, path, (*buffer)->getBuffer());
}

FailureOr<std::vector<Strategy>> heddle::listStrategies(MLIRContext &context, StringRef op) {
  std::vector<Strategy> strategies;
  for (const EmbeddedStrategy &embedded : embeddedStrategies()) {
    if (!op.empty() && embedded.op != op)
      continue;
    FailureOr<Strategy> strategy = parseStrategy(context, embedded.name, embedded.text);
    if (failed(strategy))
      return failure();
    strategies.push_back(std::move(*strategy));
  }
  llvm::sort(strategies, [](const Strategy &a, const Strategy &b) {
    return std::tie(a.op, b.priority, a.name) < std::tie(b.op, a.priority, b.name);
  });
  return strategies;
}
