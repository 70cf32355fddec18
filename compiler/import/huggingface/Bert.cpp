//===- Bert.cpp - encoders of type bert -----------------------------------===//
//
// Builds what BertModel of transformers computes: embeddings, then per layer
// attention and a feed-forward block, each followed by its normalisation.
//
//===----------------------------------------------------------------------===//

#include "Bert.h"

#include "../MainBuilder.h"
#include "BertConfig.h"
#include "Checkpoint.h"
#include "SentencePooling.h"
#include "Tensors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace heddle;

namespace {
class BertBuilder {
public:
  BertBuilder(MainBuilder &main, const BertConfig &config, Checkpoint &checkpoint, int64_t batch,
              int64_t sequence)
      : main(main), config(config), checkpoint(checkpoint), batch(batch), sequence(sequence) {}

  /// The embeddings of `ids`; null after an error of the checkpoint, as for all below.
  Value embed(Value ids, Value types);
  Value layer(Value input, Value mask, int64_t index);

private:
  Value linear(Value input, const std::string &name, int64_t in, int64_t out, Value residual = {});
  Value norm(Value input, const std::string &name);
  Value attend(Value input, Value mask, const std::string &layer);
  Value feedForward(Value input, const std::string &layer);
  Value splitHeads(Value value);

  MainBuilder &main;
  const BertConfig &config;
  Checkpoint &checkpoint;
  int64_t batch, sequence;
};
} // namespace

Value BertBuilder::embed(Value ids, Value types) {
  int64_t hidden = config.hidden;
  Value words = checkpoint.weight(main, {"embeddings.word_embeddings.weight"}, {config.vocabulary, hidden});
  Value segments =
      checkpoint.weight(main, {"embeddings.token_type_embeddings.weight"}, {config.types, hidden});
  Value positions = checkpoint.weight(main, {"embeddings.position_embeddings.weight"}, {config.positions, hidden});
  if (checkpoint.failed())
    return {};
  positions = takeRows(main, positions, sequence);
  Value sum = arith::AddFOp::create(main, lookUp(main, words, ids), lookUp(main, segments, types));
  sum = arith::AddFOp::create(main, sum, broadcast(main, positions, cast<RankedTensorType>(sum.getType()), {0}));
  return norm(sum, "embeddings.LayerNorm");
}

Value BertBuilder::linear(Value input, const std::string &name, int64_t in, int64_t out, Value residual) {
  Value weight = checkpoint.weight(main, {name + ".weight"}, {in, out}, /*transposed=*/true);
  Value bias = checkpoint.weight(main, {name + ".bias"}, {out});
  if (checkpoint.failed())
    return {};
  auto type = RankedTensorType::get({batch, sequence, out}, main.getF32Type());
  return LinearOp::create(main, type, input, weight, bias, residual,
                          ActivationAttr::get(main.getContext(), Activation::None));
}

Value BertBuilder::norm(Value input, const std::string &name) {
  // Checkpoints converted from TensorFlow call them gamma and beta.
  Value scale = checkpoint.weight(main, {name + ".weight", name + ".gamma"}, {config.hidden});
  Value bias = checkpoint.weight(main, {name + ".bias", name + ".beta"}, {config.hidden});
  if (checkpoint.failed())
    return {};
  return LayerNormOp::create(main, input.getType(), input, scale, bias, /*residual=*/Value(),
                             main.getF64FloatAttr(config.epsilon));
}

/// [batch, sequence, hidden] as [batch, sequence, heads, head size].
Value BertBuilder::splitHeads(Value value) {
  SmallVector<int64_t> shape = {batch, sequence, config.heads, config.hidden / config.heads};
  return tensor::ExpandShapeOp::create(main, RankedTensorType::get(shape, main.getF32Type()), value,
                                       ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
}

Value BertBuilder::attend(Value input, Value mask, const std::string &layer) {
  std::string self = layer + "attention.self.", output = layer + "attention.output.";
  int64_t hidden = config.hidden;
  Value query = linear(input, self + "query", hidden, hidden);
  Value key = linear(input, self + "key", hidden, hidden);
  Value value = linear(input, self + "value", hidden, hidden);
  if (checkpoint.failed())
    return {};
  query = splitHeads(query);
  key = splitHeads(key);
  value = splitHeads(value);

  // transformers adds the lowest f32 to the score of a masked entry, which leaves exactly that
  // number (a score vanishes against it): a row masked everywhere attends evenly to all keys.
  FloatAttr lowest = main.getF64FloatAttr(std::numeric_limits<float>::lowest());
  MLIRContext *context = main.getContext();
  auto bshd = LayoutAttr::get(context, Layout::Bshd);
  auto attention = AttentionOp::create(
      main, TypeRange{query.getType()}, query, key, value, /*bias=*/Value(), mask, /*key_lengths=*/Value(),
      /*scale=*/FloatAttr(), /*softcap=*/FloatAttr(), lowest, CausalAttr::get(context, Causal::None),
      /*window=*/DenseI64ArrayAttr(), EmptyRowAttr::get(context, EmptyRow::Zeros),
      SoftmaxPrecisionAttr::get(context, SoftmaxPrecision::F32), bshd, bshd, bshd, bshd,
      /*with_weights=*/UnitAttr());
  Value merged = tensor::CollapseShapeOp::create(main, input.getType(), attention.getResult(),
                                                 ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
  Value projected = linear(merged, output + "dense", hidden, hidden, /*residual=*/input);
  return projected ? norm(projected, output + "LayerNorm") : Value();
}

Value BertBuilder::feedForward(Value input, const std::string &layer) {
  std::string up = layer + "intermediate.dense", down = layer + "output.dense";
  int64_t hidden = config.hidden, inner = config.intermediate;
  Value upWeight = checkpoint.weight(main, {up + ".weight"}, {hidden, inner}, /*transposed=*/true);
  Value upBias = checkpoint.weight(main, {up + ".bias"}, {inner});
  Value downWeight = checkpoint.weight(main, {down + ".weight"}, {inner, hidden}, /*transposed=*/true);
  Value downBias = checkpoint.weight(main, {down + ".bias"}, {hidden});
  if (checkpoint.failed())
    return {};
  Value result = FfnOp::create(main, input.getType(), input, upWeight, downWeight, upBias, downBias,
                               /*gate=*/Value(), /*gate_bias=*/Value(), /*residual=*/input,
                               ActivationAttr::get(main.getContext(), config.activation));
  return norm(result, layer + "output.LayerNorm");
}

Value BertBuilder::layer(Value input, Value mask, int64_t index) {
  std::string name = "encoder.layer." + std::to_string(index) + ".";
  main.setLoc(NameLoc::get(main.getStringAttr(StringRef(name).drop_back()), checkpoint.loc));
  Value attended = attend(input, mask, name);
  return attended ? feedForward(attended, name) : Value();
}

/// The inputs, and the names of their dimensions.
static constexpr StringRef inputNames[] = {"input_ids", "attention_mask", "token_type_ids"};
static constexpr StringRef dimNames[] = {"batch_size", "sequence_length"};

/// The names behind `bert.` in a model with a head, without it in a bare encoder.
static StringRef findPrefix(const Checkpoint &checkpoint) {
  return checkpoint.find("bert.embeddings.word_embeddings.weight") ? "bert." : "";
}

/// The sizes of the two open dimensions.
static FailureOr<std::pair<int64_t, int64_t>> getDims(Location loc, const BertConfig &config,
                                                      const ImportOptions &options) {
  if (failed(checkDimNames(loc, options, {dimNames[0].str(), dimNames[1].str()})))
    return failure();
  SmallVector<OpenDim> open;
  auto get = [&](size_t dim, int64_t suggestion) {
    auto it = options.dims.find(dimNames[dim]);
    if (it != options.dims.end())
      return it->second;
    open.push_back({dimNames[dim].str(), suggestion, {}});
    for (StringRef input : inputNames)
      open.back().places.push_back({input.str(), dim, std::size(dimNames)});
    return int64_t(1);
  };
  int64_t batch = get(0, 1);
  int64_t sequence = get(1, std::min<int64_t>(128, config.positions));
  if (failed(reportOpenDims(loc, options, open)))
    return failure();
  constexpr int64_t batchLimit = 1 << 20;
  if (batch >= 1 && batch <= batchLimit && sequence >= 1 && sequence <= config.positions)
    return std::pair(batch, sequence);
  if (options.wrongUsage)
    *options.wrongUsage = true;
  if (batch < 1 || batch > batchLimit)
    return emitError(loc) << "batch_size: expected 1 to " << batchLimit << ", found " << batch;
  return emitError(loc) << "sequence_length: the model has positions for 1 to " << config.positions
                        << " tokens, found " << sequence;
}

FailureOr<Model> heddle::importBert(Location configLoc, const llvm::json::Object &object, StringRef directory,
                                    const ImportOptions &options) {
  FailureOr<BertConfig> config = BertConfig::read(configLoc, object);
  if (failed(config))
    return failure();
  FailureOr<std::optional<SentencePooling>> pooling =
      SentencePooling::read(*configLoc.getContext(), directory, config->hidden);
  if (failed(pooling))
    return failure();
  FailureOr<std::pair<int64_t, int64_t>> dims = getDims(configLoc, *config, options);
  if (failed(dims))
    return failure();
  FailureOr<Checkpoint> checkpoint = Checkpoint::read(*configLoc.getContext(), directory);
  if (failed(checkpoint))
    return failure();
  checkpoint->prefix = findPrefix(*checkpoint);

  auto [batch, sequence] = *dims;
  MainBuilder main(checkpoint->loc, directory);
  main.setWeightFiles(checkpoint->files);
  auto idType = RankedTensorType::get({batch, sequence}, main.getI64Type());
  Value ids = main.addInput(inputNames[0], idType, {dimNames, std::nullopt, {{0, config->vocabulary - 1}}});
  Value mask = main.addInput(inputNames[1], idType, {dimNames, 1, {{0, 1}}});
  Value types = main.addInput(inputNames[2], idType, {dimNames, 0, {{0, config->types - 1}}});

  Value flags = isNotZero(main, mask);
  Value keyMask = tensor::ExpandShapeOp::create(
      main, RankedTensorType::get({batch, 1, 1, sequence}, main.getI1Type()), flags,
      ArrayRef<ReassociationIndices>{{0}, {1, 2, 3}});
  BertBuilder bert(main, *config, *checkpoint, batch, sequence);
  Value hidden = bert.embed(ids, types);
  for (int64_t i = 0; hidden && i < config->layers; ++i)
    hidden = bert.layer(hidden, keyMask, i);
  if (!hidden)
    return failure();

  SmallVector<std::pair<StringRef, Value>> results = {{"last_hidden_state", hidden}};
  if (*pooling) {
    main.setLoc(NameLoc::get(main.getStringAttr("sentence_embedding"), checkpoint->loc));
    results.push_back({"sentence_embedding", (*pooling)->build(main, hidden, flags)});
  }
  Model model;
  model.module = main.finish(results);
  if (!model.module)
    return failure();
  model.weights = std::move(checkpoint->store);
  return std::move(model);
}
