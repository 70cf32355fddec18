//===- TokenModel.cpp - builds a module from a family ---------------------===//
//
// Creates the inputs and sizes of a token model (a model that computes on token ids), its head, and the pooling of
// sentence-transformers.
//
//===----------------------------------------------------------------------===//

#include "TokenModel.h"

#include "DecoderModel.h"
#include "Tensors.h"

#include "../states/StateRoom.h"

#include "heddle/ModelDigest.h"

using namespace mlir;
using namespace heddle;

/// The names of the inputs, and of their two dimensions.
static constexpr StringRef inputNames[] = {"input_ids", "attention_mask", "token_type_ids"};
static constexpr StringRef dimNames[] = {"batch_size", "sequence_length"};

/// Returns the head that the first class in `architectures` selects. A model without this field has no head, and
/// neither has a pooled model (sentence-transformers).
static Head readHead(Config &config, const FamilyEntry &entry, bool pooled) {
  std::vector<std::string> names = config.strings("architectures");
  if (names.empty() || pooled)
    return entry.architectures.front().second;
  std::string known;
  for (const auto &[name, head] : entry.architectures) {
    if (name == names.front())
      return head;
    known += (known.empty() ? "" : ", ") + name;
  }
  config.refuse("architectures") << "'" << names.front() << "' is not supported, only " << known;
  return Head::None;
}

/// Returns the size as text: "3", or "0..3" for a size in a range.
static std::string textOf(const Dim &size) {
  std::string text = std::to_string(size.low());
  return size.isFixed() ? text : text + ".." + std::to_string(size.high());
}

namespace {
/// A dimension of a token model that config.json does not fix.
struct TokenDim {
  StringRef name;
  int64_t maximum;           // the maximum size that the model supports
  int64_t suggestion;        // a size for which the model can be imported (OpenDim::suggestion)
  const char *before, *unit; // the text around `maximum` in errors
  std::vector<SizePlace> places; // the inputs and dimensions that have this size
  std::string fallback = {};     // the default size or range (OpenDim::fallback); empty if the user must give the size
};
} // namespace

/// Returns the dimensions of the model: the batch size, the sequence length and, for a decoder with a state, the
/// capacity of the state.
static SmallVector<TokenDim> tokenDims(const Family &family, const ImportTask &options) {
  int64_t positions = options.decoder ? family.capacity : family.positions;
  constexpr const char *before = "the model has positions for 1 to ", *unit = " tokens";
  SmallVector<TokenDim> dims = {{dimNames[0], 1 << 20, 1, "expected 1 to ", "", {}},
                                {dimNames[1], positions, std::min<int64_t>(128, positions), before, unit, {}}};
  for (size_t dim : {0, 1})
    for (StringRef input : ArrayRef(inputNames).take_front(options.decoder ? 1 : family.types ? 3 : 2))
      dims[dim].places.push_back({input.str(), dim, std::size(dimNames)});
  if (options.decoder)
    dims.push_back({"capacity", positions, std::min<int64_t>(1024, positions), before, unit, {}});
  return dims;
}

/// Sets the default sizes of a decoder with a state: one sequence; a capacity in a range up to the largest supported
/// capacity, but at most 4096 tokens; and up to three classes of sequence lengths that are compiled separately, for
/// single tokens and for short and long parts of a prompt. No class exceeds the largest capacity.
static void addFallbacks(MutableArrayRef<TokenDim> dims, const Family &family, const ImportTask &options) {
  constexpr int64_t maxRoom = 4096, maxShort = 16, maxAtOnce = 256;
  int64_t room = std::min(family.maxCapacity(), maxRoom), given = room;
  if (auto bounds = options.bounds.find(dims[2].name); bounds != options.bounds.end())
    given = bounds->second.second;
  else if (auto size = options.dims.find(dims[2].name); size != options.dims.end())
    given = size->second;
  int64_t longest = std::min({given, family.capacity, maxAtOnce});
  dims[0].fallback = "1";
  dims[1].fallback = "1";
  for (auto [low, high] : {std::pair(int64_t(2), maxShort), std::pair(maxShort + 1, maxAtOnce)})
    if (low <= longest)
      dims[1].fallback += "," + std::to_string(low) + (low == longest ? "" : ".." + std::to_string(std::min(high, longest)));
  dims[2].fallback = room == 1 ? "1" : "1.." + std::to_string(room);
}

/// Returns the sizes of the dimensions of tokenDims(), in this order, from the options. Emits an error for a size that
/// is missing or invalid.
static FailureOr<SymbolicShape> getDims(Location loc, const Family &family, const ImportTask &options) {
  SmallVector<TokenDim> dims = tokenDims(family, options);
  if (options.decoder)
    addFallbacks(dims, family, options);
  std::vector<std::string> names;
  for (const TokenDim &dim : dims)
    names.push_back(dim.name.str());
  if (failed(checkDimNames(loc, options, names)))
    return failure();
  SmallVector<OpenDim> open;
  SymbolicShape sizes;
  for (TokenDim &dim : dims) {
    auto it = options.dims.find(dim.name);
    sizes.push_back(it == options.dims.end() ? Dim(1) : dimOf(it->second));
    if (it == options.dims.end())
      open.push_back({dim.name.str(), dim.suggestion, std::move(dim.places), dim.fallback});
  }
  if (failed(reportOpenDims(loc, options, open)))
    return failure();
  auto wrongUsage = [&] {
    options.setWrongUsage();
    return emitError(loc);
  };
  for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
    // Both ends of a range must be valid, whichever value of the size this import uses.
    auto range = options.bounds.find(dim.name);
    bool isRange = range != options.bounds.end() && range->second.first < 1;
    if (isRange || size.low() < 1 || size.high() > dim.maximum)
      return wrongUsage() << dim.name << ": " << dim.before << dim.maximum << dim.unit << ", found "
                          << (isRange ? std::to_string(range->second.first) + ".." + std::to_string(range->second.second)
                                      : textOf(size));
  }
  if (options.decoder && sizes[1].low() > sizes[2].high())
    return refuseRows(loc, dimNames[1], textOf(sizes[2]), textOf(sizes[1]), options);
  return sizes;
}

static Value addTokens(MainBuilder &main, const Family &family, RankedTensorType type) {
  return main.addInput(inputNames[0], type, {dimNames, std::nullopt, {{0, family.vocabulary - 1}}});
}

/// Adds the inputs of a model without a state. Token types are an input only if the model has token types.
static TokenInputs addInputs(MainBuilder &main, const Family &family, RankedTensorType type) {
  TokenInputs inputs;
  inputs.ids = addTokens(main, family, type);
  Value mask = main.addInput(inputNames[1], type, {dimNames, 1, {{0, 1}}});
  if (family.types)
    inputs.types = main.addInput(inputNames[2], type, {dimNames, 0, {{0, family.types - 1}}});
  inputs.mask = isNotZero(main, mask);
  return inputs;
}

/// Returns the upper end of the range of dimension `dim`, or `size` if the dimension has no range.
static int64_t maxOf(StringRef dim, const Dim &size, const ImportTask &options) {
  auto bounds = options.bounds.find(dim);
  return bounds == options.bounds.end() ? size.high() : bounds->second.second;
}

FailureOr<Model> heddle::importTokenModel(Config &config, const FamilyEntry &entry, const SentenceModules &sentence,
                                          OpenCheckpoint open, const ImportTask &options) {
  std::unique_ptr<Family> family = entry.make();
  Head head = readHead(config, entry, sentence.pools());
  family->read(config, head);
  if (!config.failed())
    config.refuseUnread();
  if (config.failed())
    return failure();
  if (sentence.pools() && failed(sentence.check(config.getLoc(), family->hidden)))
    return failure();
  if (options.decoder && failed(checkDecoder(config.getLoc(), *family, head, sentence.pools(), options)))
    return failure();
  FailureOr<SymbolicShape> dims = getDims(config.getLoc(), *family, options);
  if (failed(dims))
    return failure();
  if (options.decoder)
    family->checkCapacity(config, maxOf("capacity", dims->back(), options));
  else if (auto bounds = options.bounds.find(dimNames[1]); bounds != options.bounds.end())
    family->checkLengths(config, bounds->second.first, bounds->second.second);
  if (config.failed())
    return failure();
  FailureOr<std::unique_ptr<Checkpoint>> opened = open();
  if (failed(opened))
    return failure();
  std::unique_ptr<Checkpoint> checkpoint = std::move(*opened);
  std::function<uint64_t()> identify;
  if (options.decoder)
    identify = [text = config.getReadText(), stored = checkpoint->store] {
      ModelDigest digest;
      digest.add(text);
      digest.add(stored);
      return digest.get();
    };

  Dim batch = (*dims)[0], sequence = (*dims)[1];
  MainBuilder main(checkpoint->loc);
  main.setWeightFiles(checkpoint->files);
  auto type = RankedTensorType::get(numbersOf({batch, sequence}), main.getI64Type());
  TokenInputs inputs;
  std::optional<Past> past;
  Value last;
  if (options.decoder) {
    inputs.ids = addTokens(main, *family, type);
    past.emplace(main, batch, sequence, dims->back());
    last = addLast(main, batch, sequence);
  } else {
    inputs = addInputs(main, *family, type);
  }
  Layers layers(main, *checkpoint, batch, sequence, past ? &*past : nullptr);
  Value hidden = family->build(layers, inputs);
  NamedValues results;
  checkpoint->enterHead();
  if (head == Head::None) {
    results.push_back({"last_hidden_state", hidden});
  } else {
    layers.enter("logits");
    results = past ? buildNextToken(*family, layers, inputs, last, hidden, options)
                   : family->buildHead(layers, inputs, hidden);
  }
  if (sentence.pools())
    results.push_back({"sentence_embedding", sentence.build(layers, hidden, inputs.mask)});
  checkpoint->finish();
  if (checkpoint->failed())
    return failure();
  Model model;
  model.module = main.finish(results);
  if (!model.module)
    return failure();
  model.weights = std::move(checkpoint->store);
  model.identify = std::move(identify);
  return std::move(model);
}
