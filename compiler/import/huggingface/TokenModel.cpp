//===- TokenModel.cpp - from a family to a module -------------------------===//
//
// The inputs and sizes of a model of tokens, its head, and the pooling of
// sentence-transformers.
//
//===----------------------------------------------------------------------===//

#include "TokenModel.h"

#include "SentenceModules.h"
#include "Tensors.h"

using namespace mlir;
using namespace heddle;

/// The inputs, and the names of their dimensions.
static constexpr StringRef inputNames[] = {"input_ids", "attention_mask", "token_type_ids"};
static constexpr StringRef dimNames[] = {"batch_size", "sequence_length"};

/// What `architectures` says. With `pooled`, a model of sentence-transformers, these take the bare model.
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

/// "3", or "0..3" of a size in a range.
static std::string textOf(const Dim &size) {
  std::string text = std::to_string(size.low());
  return size.isFixed() ? text : text + ".." + std::to_string(size.high());
}

/// The sizes of the two open dimensions.
static FailureOr<std::pair<Dim, Dim>> getDims(Location loc, const Family &family,
                                                      const ImportOptions &options) {
  if (failed(checkDimNames(loc, options, {dimNames[0].str(), dimNames[1].str()})))
    return failure();
  SmallVector<OpenDim> open;
  auto get = [&](size_t dim, int64_t suggestion) -> Dim {
    auto it = options.dims.find(dimNames[dim]);
    if (it != options.dims.end())
      return dimOf(it->second);
    open.push_back({dimNames[dim].str(), suggestion, {}});
    for (StringRef input : ArrayRef(inputNames).drop_back(family.types ? 0 : 1))
      open.back().places.push_back({input.str(), dim, std::size(dimNames)});
    return 1;
  };
  Dim batch = get(0, 1);
  Dim sequence = get(1, std::min<int64_t>(128, family.positions));
  if (failed(reportOpenDims(loc, options, open)))
    return failure();
  constexpr int64_t batchLimit = 1 << 20;
  auto isWithin = [](const Dim &size, int64_t most) { return size.low() >= 1 && size.high() <= most; };
  if (isWithin(batch, batchLimit) && isWithin(sequence, family.positions))
    return std::pair(batch, sequence);
  if (options.wrongUsage)
    *options.wrongUsage = true;
  if (!isWithin(batch, batchLimit))
    return emitError(loc) << "batch_size: expected 1 to " << batchLimit << ", found " << textOf(batch);
  return emitError(loc) << "sequence_length: the model has positions for 1 to " << family.positions
                        << " tokens, found " << textOf(sequence);
}

static TokenInputs addInputs(MainBuilder &main, const Family &family, const Dim &batch, const Dim &sequence) {
  auto type = RankedTensorType::get(numbersOf({batch, sequence}), main.getI64Type());
  TokenInputs inputs;
  inputs.ids = main.addInput(inputNames[0], type, {dimNames, std::nullopt, {{0, family.vocabulary - 1}}});
  Value mask = main.addInput(inputNames[1], type, {dimNames, 1, {{0, 1}}});
  if (family.types)
    inputs.types = main.addInput(inputNames[2], type, {dimNames, 0, {{0, family.types - 1}}});
  inputs.mask = isNotZero(main, mask);
  return inputs;
}

/// Whether the checkpoint is one of a model with a head, where the names of all else are behind a prefix.
static bool hasPrefix(const Checkpoint &checkpoint, StringRef prefix) {
  return llvm::any_of(checkpoint.store.names(), [&](StringRef name) { return name.starts_with(prefix); });
}

FailureOr<Model> heddle::importTokenModel(Config &config, const FamilyEntry &entry, StringRef directory,
                                          const ImportOptions &options) {
  MLIRContext &context = *config.getLoc().getContext();
  FailureOr<SentenceModules> sentence = SentenceModules::read(context, directory);
  if (failed(sentence))
    return failure();
  std::unique_ptr<Family> family = entry.make();
  Head head = readHead(config, entry, sentence->pools());
  family->read(config, head);
  std::optional<Quantization> quantization = readQuantization(config);
  if (!config.failed())
    config.refuseUnread();
  if (config.failed())
    return failure();
  if (sentence->pools() && failed(sentence->check(config.getLoc(), family->hidden)))
    return failure();
  FailureOr<std::pair<Dim, Dim>> dims = getDims(config.getLoc(), *family, options);
  if (failed(dims))
    return failure();
  if (auto bounds = options.bounds.find(dimNames[1]); bounds != options.bounds.end())
    family->checkLengths(config, bounds->second.first, bounds->second.second);
  if (config.failed())
    return failure();
  FailureOr<Checkpoint> checkpoint = Checkpoint::read(context, directory);
  if (failed(checkpoint) || failed(sentence->readWeights(context, *checkpoint)))
    return failure();
  if (hasPrefix(*checkpoint, entry.prefix))
    checkpoint->prefix = entry.prefix;
  checkpoint->quantization = quantization;

  auto [batch, sequence] = *dims;
  MainBuilder main(checkpoint->loc);
  main.setWeightFiles(checkpoint->files);
  TokenInputs inputs = addInputs(main, *family, batch, sequence);
  Layers layers(main, *checkpoint, batch, sequence);
  Value hidden = family->build(layers, inputs);
  NamedValues results;
  checkpoint->prefix.clear();
  if (head == Head::None) {
    results.push_back({"last_hidden_state", hidden});
  } else {
    layers.enter("logits");
    llvm::append_range(results, family->buildHead(layers, inputs, hidden));
  }
  if (sentence->pools())
    results.push_back({"sentence_embedding", sentence->build(layers, hidden, inputs.mask)});
  if (checkpoint->failed())
    return failure();
  Model model;
  model.module = main.finish(results);
  if (!model.module)
    return failure();
  model.weights = std::move(checkpoint->store);
  return std::move(model);
}
