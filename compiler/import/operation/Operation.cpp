//===- Operation.cpp - import of quoted operations ------------------------===//

#include "Operation.h"

#include "Builders.h"

#include "heddle/Memory.h"
#include "interpreter/Tensor.h"

#include "Notes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace heddle;

/// The maximum size in bytes of a random constant weight, and of an argument or result.
static constexpr int64_t constantLimit = int64_t(1) << 33, inputLimit = int64_t(1) << 45;

/// All quoted operations, by name.
static const QuotedOperations &operations() {
  static const QuotedOperations all = [] {
    QuotedOperations found;
#define HEDDLE_OPERATION(Stem) quote##Stem(found);
#include "QuotedOperations.inc"
#undef HEDDLE_OPERATION
    return found;
  }();
  return all;
}

/// A name and its quoted operation.
using Entry = QuotedOperations::value_type;

/// Returns the operation whose name is at the beginning of `text`; null if there is none.
static const Entry *findEntry(StringRef text) {
  auto entry = operations().find(text.trim().take_until([](char c) { return llvm::isSpace(c); }));
  return entry == operations().end() ? nullptr : &*entry;
}

bool heddle::namesOperation(StringRef text) { return findEntry(text); }

bool OperationBuilder::ready() {
  wrongUsage |= failed(knobs.finish());
  return !wrongUsage;
}

bool OperationBuilder::checkSize(StringRef name, RankedTensorType type, int64_t limit) {
  std::optional<int64_t> size = storedSize(type);
  if (size && *size <= limit)
    return true;
  if (!wrongUsage)
    emitError(main.getLoc()) << "'" << name << "' of type " << type << " is too large: expected at most "
                             << (limit >> 30) << " GiB";
  wrongUsage = true;
  return false;
}

Value OperationBuilder::input(StringRef name, ArrayRef<Dim> shape, bool present) {
  return present ? main.addInput(name, tensor(shape)) : Value();
}

Value OperationBuilder::weight(StringRef name, ArrayRef<Dim> shape, bool constant, int64_t fanIn) {
  RankedTensorType type = tensor(shape);
  if (!constant || !checkSize(name, type, constantLimit))
    return input(name, shape);
  if (llvm::Error error = checkMemory("'" + name + "'", *storedSize(type))) {
    emitError(main.getLoc()) << llvm::toString(std::move(error));
    noMemory = true;
    return input(name, shape);
  }
  // The values are uniformly distributed in +-1/sqrt(fanIn), as in linear layers that PyTorch initialises. The
  // generator is SplitMix64.
  std::vector<char> bytes;
  bytes.reserve(*storedSize(type));
  uint64_t state = llvm::xxh3_64bits(name);
  float bound = 1.0f / std::sqrt(static_cast<float>(fanIn));
  constexpr int64_t chunk = 4096;
  for (int64_t left = type.getNumElements(); left > 0; left -= chunk) {
    Tensor values(std::min(left, chunk), element);
    for (double &value : values.mutableFloats()) {
      uint64_t z = (state += 0x9e3779b97f4a7c15);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      value = (static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-23f - 1.0f) * bound;
    }
    llvm::append_range(bytes, values.toBytes());
  }
  weights.add(name, type, std::move(bytes));
  return WeightOp::create(main, type, main.getStringAttr(name), main.getArrayAttr({}));
}

std::string heddle::quotedOperations() { return llvm::join(llvm::make_first_range(operations()), ", "); }

/// Reads the knob `type`, which all operations have, and builds the operation.
static NamedResults build(const Entry &entry, OperationBuilder &builder) {
  MLIRContext *context = builder.main.getContext();
  const Type types[] = {Float32Type::get(context), Float16Type::get(context), BFloat16Type::get(context),
                        Float64Type::get(context)};
  builder.element = types[builder.knobs.choice("type", {"f32", "f16", "bf16", "f64"})];
  return entry.second.build(builder);
}

/// Reads the knobs of an operation without building the operation.
static Knobs readKnobs(MLIRContext &context, const Entry &entry, StringRef words) {
  loadImportDialects(context);
  Location loc = UnknownLoc::get(&context);
  MainBuilder main(loc);
  Knobs knobs(loc, entry.first, words);
  knobs.onlyDescribe();
  WeightStore weights;
  OperationBuilder builder{main, knobs, weights, main.getF32Type()};
  build(entry, builder);
  return knobs;
}

std::vector<KnobDescription> heddle::operationKnobs(MLIRContext &context, StringRef name) {
  const Entry *entry = findEntry(name);
  return entry && entry->first == name ? readKnobs(context, *entry, "").getKnown() : std::vector<KnobDescription>();
}

std::optional<std::string> heddle::describeOperation(MLIRContext &context, StringRef name) {
  std::vector<KnobDescription> knobs = operationKnobs(context, name);
  if (knobs.empty())
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << name << ": " << operations().at(name).operands << "\n";
  for (const KnobDescription &knob : knobs)
    os << llvm::formatv("  {0,-20} {1}; {2}\n", llvm::join(knob.names, ", "), knob.expected,
                        knob.fallback.empty() ? "required" : "default: " + knob.fallback);
  return text;
}

bool heddle::isVerifiable(MLIRContext &context, StringRef text) {
  text = text.trim();
  const Entry *entry = findEntry(text);
  return entry && readKnobs(context, *entry, text.drop_front(entry->first.size())).areVerifiable();
}

LogicalResult heddle::addOperationRanges(MLIRContext &context, StringRef text, ImportTask &options) {
  // When a model is imported again, its ranges are already in the options.
  if (!options.sizes.at.empty() || !options.sizes.within.empty() || options.sizes.placeholderSet != 0)
    return success();
  text = text.trim();
  Location loc = NameLoc::get(StringAttr::get(&context, text));
  ImportTask given = options;
  for (const DimRange &range : options.ranges)
    given.dims[range.name] = range.high;
  if (failed(checkDimNames(loc, given, {})))
    return failure();
  if (const Entry *entry = findEntry(text)) // otherwise the import reports the error
    options.ranges = readKnobs(context, *entry, text.drop_front(entry->first.size())).ranges();
  return success();
}

FailureOr<Model> heddle::importOperation(MLIRContext &context, StringRef text, const ImportTask &options) {
  text = text.trim();
  Location loc = NameLoc::get(StringAttr::get(&context, text));
  auto refuse = [&]() {
    options.setWrongUsage();
    return failure();
  };
  const Entry *entry = findEntry(text);
  if (!entry) {
    emitError(loc) << "neither a file nor a known operation; the operations are " << quotedOperations();
    return refuse();
  }
  Model model;
  MainBuilder main(loc);
  Knobs knobs(loc, entry->first, text.drop_front(entry->first.size()), options.dims);
  OperationBuilder builder{main, knobs, model.weights, main.getF32Type()};
  NamedResults results = build(*entry, builder);
  // If sizes lie in ranges, the caller checks the tensors at the largest sizes.
  if (options.bounds.empty()) {
    for (Value input : main.getInputs())
      builder.checkSize("input", cast<RankedTensorType>(input.getType()), inputLimit);
    for (auto [name, result] : results)
      builder.checkSize(name, cast<RankedTensorType>(result.getType()), inputLimit);
  }
  if (builder.noMemory)
    return failure();
  if (builder.wrongUsage)
    return refuse();
  model.module = main.finish(results);
  if (!model.module)
    return failure();
  return std::move(model);
}
