//===- Architecture.cpp - the architectures of GGUF files -----------------===//

#include "Architecture.h"

#include "GgufConfig.h"

using namespace heddle;
using llvm::ArrayRef;

static constexpr GgufTensorName sharedTensors[] = {
    {"embed_tokens", "token_embd"},
    {"norm", "output_norm"},
    {"lm_head", "output"},
    {"layers.N.input_layernorm", "blk.N.attn_norm"},
    {"layers.N.self_attn.q_proj", "blk.N.attn_q"},
    {"layers.N.self_attn.k_proj", "blk.N.attn_k"},
    {"layers.N.self_attn.v_proj", "blk.N.attn_v"},
    {"layers.N.self_attn.o_proj", "blk.N.attn_output"},
    {"layers.N.mlp.gate_proj", "blk.N.ffn_gate"},
    {"layers.N.mlp.up_proj", "blk.N.ffn_up"},
    {"layers.N.mlp.down_proj", "blk.N.ffn_down"},
};
static constexpr GgufTensorName normBeforeFfn[] = {{"layers.N.post_attention_layernorm", "blk.N.ffn_norm"}};
static constexpr GgufTensorName normsOfHeads[] = {
    {"layers.N.post_attention_layernorm", "blk.N.ffn_norm"},
    {"layers.N.self_attn.q_norm", "blk.N.attn_q_norm"},
    {"layers.N.self_attn.k_norm", "blk.N.attn_k_norm"},
};

static constexpr GgufTensorName normsAroundParts[] = { // gemma2
    {"layers.N.post_attention_layernorm", "blk.N.post_attention_norm"},
    {"layers.N.pre_feedforward_layernorm", "blk.N.ffn_norm"},
    {"layers.N.post_feedforward_layernorm", "blk.N.post_ffw_norm"},
};
static constexpr GgufTensorName normsAroundPartsAndOfHeads[] = { // gemma3
    {"layers.N.post_attention_layernorm", "blk.N.post_attention_norm"},
    {"layers.N.pre_feedforward_layernorm", "blk.N.ffn_norm"},
    {"layers.N.post_feedforward_layernorm", "blk.N.post_ffw_norm"},
    {"layers.N.self_attn.q_norm", "blk.N.attn_q_norm"},
    {"layers.N.self_attn.k_norm", "blk.N.attn_k_norm"},
};

static constexpr GgufKeyField sharedKeys[] = {
    {"block_count", "num_hidden_layers", true},
    {"context_length", "max_position_embeddings", true},
    {"embedding_length", "hidden_size", true},
    {"feed_forward_length", "intermediate_size", true},
    {"attention.head_count", "num_attention_heads", true},
    {"attention.head_count_kv", "num_key_value_heads"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", true},
};

/// Fields of llama.
static void completeLlama(GgufConfig &config) {
  config.set("hidden_act", "silu");
  config.set("attention_bias", config.hasTensor("blk.0.attn_q.bias"));
  config.set("mlp_bias", config.hasTensor("blk.0.ffn_up.bias"));
  config.setRotary();
}

/// Fields of qwen2, qwen3 and smollm3. In smollm3, every fourth layer has no rotary embeddings, both in llama.cpp and
/// by default in the family.
static void completePlain(GgufConfig &config) {
  config.set("hidden_act", "silu");
  config.setRotary();
}

static constexpr GgufKeyField gemma2Keys[] = {
    {"attn_logit_softcapping", "attn_logit_softcapping"},
    {"final_logit_softcapping", "final_logit_softcapping"},
    {"attention.sliding_window", "sliding_window"},
};
// In llama.cpp, layers of gemma3 have no window if the key is missing, which the family does not support.
static constexpr GgufKeyField gemma3Keys[] = {
    {"attention.sliding_window", "sliding_window", true},
    {"attention.sliding_window_pattern", "sliding_window_pattern"},
};

/// The activation of all versions of gemma in llama.cpp.
static constexpr const char *gemmaActivation = "gelu_pytorch_tanh";

static void completeGemma(GgufConfig &config) {
  config.set("hidden_act", gemmaActivation);
  config.setRotary();
}

/// Sets the fields of activation and scores of gemma2 and gemma3. The factor of scores, 1 / sqrt(scalar), is not in the
/// file: the scalar is the size of a head, except in the models of 27 billion parameters, which llama.cpp recognises by
/// their number of layers.
static void setScores(GgufConfig &config, int64_t layersOf27B) {
  int64_t heads = config.integer("num_attention_heads");
  bool is27B = config.integer("num_hidden_layers") == layersOf27B && heads > 0;
  config.set("hidden_activation", gemmaActivation);
  config.set("query_pre_attn_scalar", is27B ? config.integer("hidden_size") / heads : config.integer("head_dim"));
}

static void completeGemma2(GgufConfig &config) {
  setScores(config, /*layersOf27B=*/46);
  config.setRotary();
}

static void completeGemma3(GgufConfig &config) {
  setScores(config, /*layersOf27B=*/62);
  config.setRotary("rope.freq_base_swa");
}

static constexpr GgufArchitecture architectures[] = {
    {"gemma", "gemma", normBeforeFfn, {}, completeGemma},
    {"gemma2", "gemma2", normsAroundParts, gemma2Keys, completeGemma2},
    {"gemma3", "gemma3_text", normsAroundPartsAndOfHeads, gemma3Keys, completeGemma3},
    {"llama", "llama", normBeforeFfn, {}, completeLlama, /*pairsAreAdjacent=*/true, /*hasRotaryFactors=*/true},
    {"qwen2", "qwen2", normBeforeFfn, {}, completePlain},
    {"qwen3", "qwen3", normsOfHeads, {}, completePlain},
    {"smollm3", "smollm3", normBeforeFfn, {}, completePlain, /*pairsAreAdjacent=*/true},
};

ArrayRef<GgufArchitecture> heddle::getGgufArchitectures() { return architectures; }
ArrayRef<GgufTensorName> heddle::getSharedGgufTensors() { return sharedTensors; }
ArrayRef<GgufKeyField> heddle::getSharedGgufKeys() { return sharedKeys; }
