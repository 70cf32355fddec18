//===- PreNormDecoder.cpp - decoders like llama ---------------------------===//

#include "PreNormDecoder.h"

#include "Activations.h"
#include "Tensors.h"

using namespace mlir;
using namespace heddle;

void PreNormDecoder::readLayers(Config &config, const Defaults &defaults, const Rotary::Fields &rotaryFields) {
  vocabulary = config.size("vocab_size");
  hidden = config.size("hidden_size");
  intermediate = config.size("intermediate_size");
  layerCount = config.layers("num_hidden_layers");
  heads = config.size("num_attention_heads");
  keyHeads = readOptional(config, "num_key_value_heads", defaults.keyHeads ? defaults.keyHeads : heads).value_or(heads);
  int64_t quotient = defaults.headSize ? defaults.headSize : std::max<int64_t>(hidden / heads, 1);
  headSize = config.sizeOrNull("head_dim", quotient);
  bool isWhole = defaults.headSize || config.has("head_dim") || hidden % heads == 0;
  epsilon = config.number("rms_norm_eps", defaults.epsilon);
  activation = readActivation(config, defaults.activationField, defaults.activation);
  config.ignore({"pretraining_tp"}); // the number of parts in which training computed each matrix product
  if (!config.failed() && !isWhole)
    config.refuse("hidden_size") << "expected a multiple of num_attention_heads, found " << hidden << " and " << heads;
  if (!config.failed() && heads % keyHeads != 0)
    config.refuse("num_attention_heads") << "expected a multiple of num_key_value_heads, found " << heads << " and "
                                         << keyHeads;
  readRotary(config, headSize, defaults.positions, rotaryFields);
  windows.assign(layerCount, std::nullopt);
}

void PreNormDecoder::checkLengths(Config &config, int64_t low, int64_t high) {
  RotaryDecoder::checkLengths(config, low, high);
  if (localRotary)
    localRotary->checkLengths(config, low, high);
}

void PreNormDecoder::checkCapacity(Config &config, int64_t maximum) {
  RotaryDecoder::checkCapacity(config, maximum);
  if (localRotary)
    localRotary->checkCapacity(config, maximum);
}

int64_t PreNormDecoder::maxCapacity() const {
  int64_t maximum = RotaryDecoder::maxCapacity();
  return localRotary ? std::min(maximum, localRotary->maxCapacity()) : maximum;
}

Value PreNormDecoder::norm(Layers &layers, Value input, const std::string &name) {
  return layers.rmsNorm(input, name, epsilon, scaleMinusOneStored && !layers.checkpoint.scalesAreWhole ? 1 : 0);
}

Value PreNormDecoder::attend(Layers &layers, Value input, const AttentionTraits &traits, const std::string &name,
                             MakeRotation rotation, Value residual) {
  int64_t width = heads * headSize, keyWidth = keyHeads * headSize, all = packed ? width + 2 * keyWidth : 0;
  auto project = [&](const char *part, int64_t out, int64_t begin) {
    Projection projection = {name + (packed ? "qkv_proj" : part), out, queryBias};
    projection.storedOut = all;
    projection.begin = packed ? begin : 0;
    return layers.splitHeads(layers.linear(input, projection), out / headSize);
  };
  Value query = project("q_proj", width, 0), key = project("k_proj", keyWidth, width);
  Value value = project("v_proj", keyWidth, width + keyWidth);
  if (headNorms) {
    query = norm(layers, query, name + "q_norm");
    key = norm(layers, key, name + "k_norm");
  }
  // If the projections do not have the sizes that config.json declares, tables for these sizes might be huge.
  if (rotation && !layers.checkpoint.failed()) {
    query = layers.rotate(query, rotation());
    key = layers.rotate(key, rotation());
  }
  Value attended = layers.mergeHeads(layers.attention(query, key, value, traits));
  return layers.linear(attended, {name + "o_proj", hidden, outputBias}, residual);
}

Value PreNormDecoder::feedForward(Layers &layers, Value input, const std::string &name, Value residual) {
  FeedForward ffn = {{name + "up_proj", intermediate, feedForwardBias}, {name + "down_proj", hidden, feedForwardBias}};
  ffn.gate = {name + "gate_proj", intermediate, feedForwardBias};
  if (packed) {
    ffn.up = {name + "gate_up_proj", intermediate, /*bias=*/false, /*inOut=*/false, 2 * intermediate, intermediate};
    ffn.gate = ffn.up;
    ffn.gate->begin = 0;
  }
  ffn.activation = activation;
  return layers.feedForward(input, ffn, residual);
}

Value PreNormDecoder::build(Layers &layers, const TokenInputs &inputs) {
  Value state = embed(layers, inputs.ids);
  if (embeddingScale) {
    Value scale = splat(layers.main, cast<RankedTensorType>(state.getType()), *embeddingScale);
    state = arith::MulFOp::create(layers.main, state, scale);
  }
  std::optional<Rotation> all, local; // built when the first layer needs them
  auto rotate = [&]() -> const Rotation & { return all ? *all : all.emplace(rotary.build(layers)); };
  auto rotateInWindow = [&]() -> const Rotation & {
    return local ? *local : local.emplace(localRotary ? localRotary->build(layers) : rotate());
  };
  for (int64_t i = 0; i < layerCount && !layers.checkpoint.failed(); ++i) {
    std::string name = "layers." + std::to_string(i);
    layers.enter(name);
    name += ".";
    AttentionTraits traits = attendTokens(layers, inputs, windows[i]);
    traits.scale = scoreScale;
    traits.softcap = scoreCap;
    MakeRotation rotation = nullptr;
    if (noRotation.empty() || !noRotation[i])
      rotation = windows[i] ? MakeRotation(rotateInWindow) : MakeRotation(rotate);
    Value input = norm(layers, state, name + "input_layernorm");
    Value added = attend(layers, input, traits, name + "self_attn.", rotation, normsAfter ? Value() : state);
    // With `normsAfter`, the tensor post_attention_layernorm normalises the result of attention. Without it, the tensor
    // normalises the input of the feed-forward block.
    if (normsAfter)
      added = layers.add(state, norm(layers, added, name + "post_attention_layernorm"));
    state = added;
    input = norm(layers, state, name + (normsAfter ? "pre_feedforward_layernorm" : "post_attention_layernorm"));
    added = feedForward(layers, input, name + "mlp.", normsAfter ? Value() : state);
    if (normsAfter)
      added = layers.add(state, norm(layers, added, name + "post_feedforward_layernorm"));
    state = added;
  }
  layers.enter("norm");
  return norm(layers, state, "norm");
}
