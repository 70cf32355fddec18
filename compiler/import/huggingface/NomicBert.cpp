//===- NomicBert.cpp - nomic_bert -----------------------------------------===//

#include "Activations.h"
#include "Families.h"
#include "Heads.h"
#include "Rotary.h"

using namespace mlir;
using namespace heddle;

namespace {
/// An encoder like bert with rotary embeddings instead of a table of positions, and gated feed-forward blocks. The
/// linear layers of attention and of feed-forward blocks have no biases. Older models were published with their own
/// code, and their config.json has other fields.
class NomicBert : public Family {
public:
  void read(Config &config, Head kind) override;
  void checkLengths(Config &config, int64_t low, int64_t high) override { rotary.checkLengths(config, low, high); }
  Value build(Layers &layers, const TokenInputs &inputs) override;
  NamedValues buildHead(Layers &layers, const TokenInputs &inputs, Value state) override {
    return head.results(layers, state, inputs.mask);
  }

private:
  void readNew(Config &config); // the fields of config.json as transformers writes it
  void readOld(Config &config); // the fields of models that were published with their own code
  void readHead(Config &config, Head kind);
  Value layer(Layers &layers, Value input, const AttentionTraits &attention, const Rotation &rotation, int64_t index);

  int64_t intermediate = 0, layerCount = 0, heads = 0, headSize = 0;
  double epsilon = 0;
  Activation activation = Activation::None;
  Rotary rotary;
  HeadLayers head;
};
} // namespace

void NomicBert::readNew(Config &config) {
  hidden = config.size("hidden_size");
  intermediate = config.size("intermediate_size");
  layerCount = config.layers("num_hidden_layers");
  heads = config.size("num_attention_heads");
  epsilon = config.number("layer_norm_eps", 1e-12);
  activation = readActivation(config, "hidden_act", "silu");
  headSize = config.sizeOrNull("head_dim", std::max<int64_t>(hidden / heads, 1));
  Rotary::Fields fields;
  fields.theta = 1000;
  if (!config.failed())
    rotary.read(config, headSize, config.sizeOr("max_position_embeddings", 2048), fields);
}

void NomicBert::readOld(Config &config) {
  hidden = config.size("n_embd");
  intermediate = config.sizeOrNull("n_inner", 4 * hidden);
  layerCount = config.layers("n_layer");
  heads = config.size("n_head");
  headSize = std::max<int64_t>(hidden / heads, 1);
  epsilon = config.number("layer_norm_epsilon", 1e-5);
  activation = Activation::Silu;
  if (StringRef name = config.string("activation_function", "gelu"); name != "swiglu")
    config.refuse("activation_function") << "'" << name << "' is not supported, only swiglu";
  for (StringRef field : {"causal", "mlp_fc1_bias", "mlp_fc2_bias", "parallel_block", "parallel_block_tied_norm",
                          "prenorm", "qkv_proj_bias", "rotary_emb_interleaved", "scale_attn_by_inverse_layer_idx",
                          "use_rms_norm"})
    if (config.flag(field, /*fallback=*/field == "mlp_fc1_bias" || field == "mlp_fc2_bias" || field == "qkv_proj_bias"))
      config.refuse(field) << "true is not supported";
  if (!config.flag("scale_attn_weights", true))
    config.refuse("scale_attn_weights") << "false is not supported";
  for (StringRef field : {"rotary_emb_scale_base", "rotary_scaling_factor"})
    if (config.has(field))
      config.refuse(field) << "scaled rotary embeddings are not supported";
  if (config.number("rotary_emb_fraction", 0) != 1)
    config.refuse("rotary_emb_fraction") << "only 1 is supported: all elements of each head are rotated";
  config.ignore({"dense_seq_output", "fused_bias_fc", "fused_dropout_add_ln", "max_trained_positions", "n_positions",
                 "pad_vocab_size_multiple", "reorder_and_upcast_attn", "summary_activation", "summary_first_dropout",
                 "summary_proj_to_labels", "summary_type", "summary_use_proj", "use_flash_attn", "use_xentropy"});
  Rotary::Fields fields;
  fields.thetaField = "rotary_emb_base";
  if (!config.failed())
    rotary.read(config, headSize, 2048, fields);
}

void NomicBert::readHead(Config &config, Head kind) {
  if (kind == Head::MaskedLM) {
    head.dense = {"cls.predictions.transform.dense", hidden};
    head.activation = activation;
    head.norm = "cls.predictions.transform.layer_norm";
    head.predictWords(config, "cls.predictions.decoder", "nomic_bert.embeddings.word_embeddings.weight",
                      "cls.predictions.bias", vocabulary);
  } else if (kind != Head::None) {
    if (kind == Head::SequenceClassification)
      head.poolFirst("nomic_bert.pooler.dense", hidden);
    head.classify(config, "classifier");
  }
}

void NomicBert::read(Config &config, Head kind) {
  vocabulary = config.size("vocab_size");
  types = config.sizeOr("type_vocab_size", 2);
  positions = 1 << 20; // rotary embeddings do not limit the number of positions
  config.ignore({"is_decoder"});
  bool old = config.has("n_embd");
  if (old)
    readOld(config);
  else
    readNew(config);
  head.epsilon = epsilon;
  if (old && kind != Head::None)
    config.refuse("architectures") << "with the field n_embd, only NomicBertModel is supported";
  readHead(config, kind);
  if (!config.failed() && headSize % 2 != 0)
    config.refuse(old ? "n_head" : "head_dim") << "expected heads of an even number of elements, found " << headSize;
}

Value NomicBert::layer(Layers &layers, Value input, const AttentionTraits &attention, const Rotation &rotation,
                       int64_t index) {
  // These are the tensor names of the model's original code. transformers saves the model under the same names.
  std::string name = "encoder.layers." + std::to_string(index) + ".";
  layers.enter(StringRef(name).drop_back());
  int64_t width = heads * headSize;
  auto project = [&](int64_t place) {
    Projection projection = {name + "attn.Wqkv", width, /*bias=*/false, /*inOut=*/false, 3 * width, place * width};
    return layers.splitHeads(layers.linear(input, projection), heads);
  };
  Value query = layers.rotate(project(0), rotation), key = layers.rotate(project(1), rotation), value = project(2);
  Value attended = layers.mergeHeads(layers.attention(query, key, value, attention));
  Value state = layers.linear(attended, {name + "attn.out_proj", hidden, /*bias=*/false}, /*residual=*/input);
  state = layers.layerNorm(state, name + "norm1", epsilon);
  FeedForward ffn = {{name + "mlp.fc11", intermediate, /*bias=*/false}, {name + "mlp.fc2", hidden, /*bias=*/false}};
  ffn.gate = {name + "mlp.fc12", intermediate, /*bias=*/false};
  ffn.activation = activation;
  return layers.layerNorm(layers.feedForward(state, ffn, /*residual=*/state), name + "norm2", epsilon);
}

Value NomicBert::build(Layers &layers, const TokenInputs &inputs) {
  layers.enter("embeddings");
  Value words = layers.embed("embeddings.word_embeddings.weight", vocabulary, hidden, inputs.ids);
  Value segments = layers.embed("embeddings.token_type_embeddings.weight", types, hidden, inputs.types);
  Value state = layers.layerNorm(layers.add(words, segments), "emb_ln", epsilon);
  AttentionTraits attention;
  attention.mask = layers.maskKeys(inputs.mask);
  Rotation rotation = rotary.build(layers);
  for (int64_t i = 0; i < layerCount && !layers.checkpoint.failed(); ++i)
    state = layer(layers, state, attention, rotation, i);
  return state;
}

std::unique_ptr<Family> heddle::makeNomicBert() { return std::make_unique<NomicBert>(); }
