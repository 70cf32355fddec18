//===- ModernBert.cpp - modernbert ----------------------------------------===//

#include "Activations.h"
#include "Decoder.h"
#include "Families.h"
#include "Heads.h"

using namespace mlir;
using namespace heddle;

namespace {
/// ModernBERT normalises the inputs of attention and of feed-forward blocks (the embeddings are already normalised
/// before the first attention), and has rotary embeddings and gated feed-forward blocks. Most layers attend only to a
/// window of tokens on both sides; the rotary base of these layers differs from that of the layers that attend to all
/// tokens.
class ModernBert : public Family {
public:
  void read(Config &config, Head kind) override;
  void checkLengths(Config &config, int64_t low, int64_t high) override;
  Value build(Layers &layers, const TokenInputs &inputs) override;
  NamedValues buildHead(Layers &layers, const TokenInputs &inputs, Value state) override {
    return head.results(layers, state, inputs.mask);
  }

private:
  void readRotary(Config &config);
  void readHead(Config &config, Head kind);
  Value layer(Layers &layers, Value input, const AttentionTraits &attention, const Rotation &rotation, int64_t index);

  int64_t intermediate = 0, heads = 0;
  double epsilon = 0;
  Activation activation = Activation::None;
  bool attentionBias = false, feedForwardBias = false, normBias = false;
  SmallVector<std::optional<int64_t>> windows; // for each layer, the number of tokens on either side in its window
  Rotary full, sliding;
  HeadLayers head;
};
} // namespace

void ModernBert::readRotary(Config &config) {
  Config parameters = config.nested("rope_parameters");
  int64_t trained = config.sizeOr("max_position_embeddings", 8192), headSize = hidden / heads;
  Rotary::Fields fields;
  fields.parameters = "full_attention";
  fields.theta = 160000;
  fields.thetaField = "global_rope_theta";
  full.read(config, headSize, trained, fields);
  fields.parameters = "sliding_attention";
  fields.theta = 10000;
  fields.thetaField = "local_rope_theta";
  // Refuse null, because older and newer versions of transformers treat null differently.
  if (!config.isMissing(fields.thetaField) && !config.has(fields.thetaField))
    config.refuse(fields.thetaField) << "expected a number";
  sliding.read(config, headSize, trained, fields);
}

void ModernBert::read(Config &config, Head kind) {
  vocabulary = config.size("vocab_size");
  hidden = config.size("hidden_size");
  intermediate = config.size("intermediate_size");
  heads = config.size("num_attention_heads");
  positions = 1 << 20; // rotary embeddings do not limit the number of positions
  activation = readActivation(config, "hidden_activation", "gelu");
  epsilon = config.number("norm_eps", 1e-5);
  attentionBias = config.flag("attention_bias");
  feedForwardBias = config.flag("mlp_bias");
  normBias = config.flag("norm_bias");
  int64_t layers = config.layers("num_hidden_layers"), every = config.sizeOr("global_attn_every_n_layers", 3);
  windows = readWindows(config, layers, config.sizeOr("local_attention", 128) / 2,
                        [&](int64_t index) { return index % every != 0; });
  // These fields affect training, or how transformers computes the model, but not its results. is_decoder,
  // layer_norm_eps and position_embedding_type exist in some files, but transformers does not read them.
  config.ignore({"deterministic_flash_attn", "embedding_dropout", "mlp_dropout", "reference_compile",
                 "repad_logits_with_grad", "sparse_pred_ignore_index", "sparse_prediction", "is_decoder",
                 "layer_norm_eps", "position_embedding_type"});
  if (!config.failed() && (hidden % heads != 0 || hidden / heads % 2 != 0))
    config.refuse("hidden_size")
        << "expected an even number of elements in each of the num_attention_heads heads, found " << hidden
        << " elements and " << heads << " heads";
  if (config.failed())
    return;
  readRotary(config);
  readHead(config, kind);
}

void ModernBert::readHead(Config &config, Head kind) {
  head.dense = {"head.dense", hidden, config.flag("classifier_bias")};
  head.activation = readActivation(config, "classifier_activation", "gelu");
  head.norm = "head.norm";
  head.epsilon = epsilon;
  head.normBias = normBias;
  StringRef pooling = config.string("classifier_pooling", "cls");
  bool decoderBias = config.flag("decoder_bias", true);
  if (pooling != "cls" && pooling != "mean")
    config.refuse("classifier_pooling") << "'" << pooling << "' is not supported, only cls and mean";
  if (kind == Head::SequenceClassification)
    head.pool = pooling == "cls" ? HeadLayers::Pool::First : HeadLayers::Pool::Mean;
  if (kind == Head::MaskedLM) {
    head.predictWords(config, "decoder", "model.embeddings.tok_embeddings.weight", "decoder.bias", vocabulary);
    if (!decoderBias)
      head.biases.clear();
  } else if (kind == Head::QuestionAnswering) {
    head.findAnswer(config, "classifier");
  } else if (kind != Head::None) {
    head.classify(config, "classifier");
  }
}

void ModernBert::checkLengths(Config &config, int64_t low, int64_t high) {
  full.checkLengths(config, low, high);
  sliding.checkLengths(config, low, high);
}

Value ModernBert::layer(Layers &layers, Value input, const AttentionTraits &attention, const Rotation &rotation,
                        int64_t index) {
  std::string name = "layers." + std::to_string(index) + ".";
  layers.enter(StringRef(name).drop_back());
  Value normalised = index == 0 ? input : layers.layerNorm(input, name + "attn_norm", epsilon, normBias);
  // The checkpoint stores `count` layers with `size` outputs each as one layer `stored`. Returns layer number `place`
  // of them.
  auto part = [&](const std::string &stored, int64_t place, int64_t size, int64_t count, bool bias) {
    return Projection{name + stored, size, bias, /*inOut=*/false, count * size, place * size};
  };
  auto project = [&](int64_t place) {
    return layers.splitHeads(layers.linear(normalised, part("attn.Wqkv", place, hidden, 3, attentionBias)), heads);
  };
  Value query = layers.rotate(project(0), rotation), key = layers.rotate(project(1), rotation), value = project(2);
  Value attended = layers.mergeHeads(layers.attention(query, key, value, attention));
  Value state = layers.linear(attended, {name + "attn.Wo", hidden, attentionBias}, /*residual=*/input);
  FeedForward ffn = {part("mlp.Wi", 1, intermediate, 2, feedForwardBias), {name + "mlp.Wo", hidden, feedForwardBias}};
  ffn.gate = part("mlp.Wi", 0, intermediate, 2, feedForwardBias);
  ffn.activation = activation;
  return layers.feedForward(layers.layerNorm(state, name + "mlp_norm", epsilon, normBias), ffn, /*residual=*/state);
}

Value ModernBert::build(Layers &layers, const TokenInputs &inputs) {
  layers.enter("embeddings");
  Value state = layers.embed("embeddings.tok_embeddings.weight", vocabulary, hidden, inputs.ids);
  state = layers.layerNorm(state, "embeddings.norm", epsilon, normBias);
  if (layers.checkpoint.failed()) // if the sizes in config.json are wrong, tables of angles might be huge
    return state;
  // If the window of a padding token contains only padding, the row of its result is zeros, as in torch's
  // scaled_dot_product_attention.
  AttentionTraits everywhere;
  everywhere.mask = layers.maskKeys(inputs.mask);
  everywhere.maskedScore = -std::numeric_limits<double>::infinity();
  Rotation rotations[] = {full.build(layers), sliding.build(layers)};
  for (auto [index, window] : llvm::enumerate(windows)) {
    if (layers.checkpoint.failed())
      return state;
    AttentionTraits attention = everywhere;
    if (window)
      attention.window = {*window, *window};
    state = layer(layers, state, attention, rotations[window.has_value()], index);
  }
  layers.enter("final_norm");
  return layers.layerNorm(state, "final_norm", epsilon, normBias);
}

std::unique_ptr<Family> heddle::makeModernBert() { return std::make_unique<ModernBert>(); }
