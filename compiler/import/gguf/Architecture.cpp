//===- Architecture.cpp - the architectures of GGUF files -----------------===//

#include "Architecture.h"

#include "GgufConfig.h"

using namespace heddle;
using llvm::ArrayRef;

static constexpr GgufTensorName decoderTensors[] = {
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

static constexpr GgufKeyField decoderKeys[] = {
    {"block_count", "num_hidden_layers", true},
    {"context_length", "max_position_embeddings", true},
    {"embedding_length", "hidden_size", true},
    {"feed_forward_length", "intermediate_size", true},
    {"attention.head_count", "num_attention_heads", true},
    {"attention.head_count_kv", "num_key_value_heads"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", true},
};

using TensorList = ArrayRef<GgufTensorName>;
using KeyList = ArrayRef<GgufKeyField>;
static constexpr KeyList keysOfDecoders[] = {decoderKeys};

/// Sets the fields of llama.
static void completeLlama(GgufConfig &config) {
  config.setHeads();
  config.set("hidden_act", "silu");
  config.set("attention_bias", config.hasTensor("blk.0.attn_q.bias"));
  config.set("mlp_bias", config.hasTensor("blk.0.ffn_up.bias"));
  config.setRotary();
}

/// Sets the fields of qwen2, qwen3 and smollm3. In smollm3, every fourth layer has no rotary embeddings. No field is
/// needed for this, since it is the default of the family, too.
static void completePlain(GgufConfig &config) {
  config.setHeads();
  config.set("hidden_act", "silu");
  config.setRotary();
}

static constexpr GgufKeyField gemma2Keys[] = {
    {"attn_logit_softcapping", "attn_logit_softcapping"},
    {"final_logit_softcapping", "final_logit_softcapping"},
    {"attention.sliding_window", "sliding_window"},
};
// The key of the window is required: without it, layers of gemma3 have no window in llama.cpp, which the family does
// not support.
static constexpr GgufKeyField gemma3Keys[] = {
    {"attention.sliding_window", "sliding_window", true},
    {"attention.sliding_window_pattern", "sliding_window_pattern"},
};

/// The activation of all versions of gemma in llama.cpp.
static constexpr const char *gemmaActivation = "gelu_pytorch_tanh";

static void completeGemma(GgufConfig &config) {
  config.setHeads();
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
  config.setHeads();
  setScores(config, /*layersOf27B=*/46);
  config.setRotary();
}

static void completeGemma3(GgufConfig &config) {
  config.setHeads();
  setScores(config, /*layersOf27B=*/62);
  config.setRotary("rope.freq_base_swa");
}

static constexpr GgufTensorName packedProjections[] = {
    // phi3
    {"layers.N.self_attn.qkv_proj", "blk.N.attn_qkv"},
    {"layers.N.mlp.gate_up_proj", "blk.N.ffn_up"},
};
// If the file has the key of the window, the family attends to the window only, as transformers does. llama.cpp ignores
// the key and attends to all earlier tokens.
static constexpr GgufKeyField phi3Keys[] = {
    {"attention.sliding_window", "sliding_window"},
    {"rope.scaling.original_context_length", "original_max_position_embeddings"},
};

static void completePhi3(GgufConfig &config) {
  config.setHeads();
  config.set("hidden_act", "silu");
  config.setRotary();
}

static constexpr GgufTensorName gpt2Tensors[] = {
    {"wte", "token_embd"},
    {"wpe", "position_embd"},
    {"ln_f", "output_norm"},
    {"lm_head", "output"},
    {"h.N.ln_1", "blk.N.attn_norm"},
    {"h.N.attn.c_attn", "blk.N.attn_qkv"},
    {"h.N.attn.c_proj", "blk.N.attn_output"},
    {"h.N.ln_2", "blk.N.ffn_norm"},
    {"h.N.mlp.c_fc", "blk.N.ffn_up"},
    {"h.N.mlp.c_proj", "blk.N.ffn_down"},
};
static constexpr GgufKeyField gpt2Keys[] = {
    {"block_count", "n_layer", true},         {"context_length", "n_positions", true},
    {"embedding_length", "n_embd", true},     {"feed_forward_length", "n_inner", true},
    {"attention.head_count", "n_head", true}, {"attention.layer_norm_epsilon", "layer_norm_epsilon", true},
};

static void completeGpt2(GgufConfig &config) { config.setDecoder(); }

static constexpr GgufTensorName bertTensors[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"encoder.layer.N.attention.self.query", "blk.N.attn_q"},
    {"encoder.layer.N.attention.self.key", "blk.N.attn_k"},
    {"encoder.layer.N.attention.self.value", "blk.N.attn_v"},
    {"encoder.layer.N.attention.output.dense", "blk.N.attn_output"},
    {"encoder.layer.N.attention.output.LayerNorm", "blk.N.attn_output_norm"},
    {"encoder.layer.N.intermediate.dense", "blk.N.ffn_up"},
    {"encoder.layer.N.output.dense", "blk.N.ffn_down"},
    {"encoder.layer.N.output.LayerNorm", "blk.N.layer_output_norm"},
};
static constexpr GgufTensorName nomicBertTensors[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"emb_ln", "token_embd_norm"},
    {"encoder.layers.N.attn.Wqkv", "blk.N.attn_qkv"},
    {"encoder.layers.N.attn.out_proj", "blk.N.attn_output"},
    {"encoder.layers.N.norm1", "blk.N.attn_output_norm"},
    {"encoder.layers.N.mlp.fc11", "blk.N.ffn_up"},
    {"encoder.layers.N.mlp.fc12", "blk.N.ffn_gate"},
    {"encoder.layers.N.mlp.fc2", "blk.N.ffn_down"},
    {"encoder.layers.N.norm2", "blk.N.layer_output_norm"},
};
static constexpr GgufKeyField encoderKeys[] = {
    {"block_count", "num_hidden_layers", true},
    {"context_length", "max_position_embeddings", true},
    {"embedding_length", "hidden_size", true},
    {"feed_forward_length", "intermediate_size", true},
    {"attention.head_count", "num_attention_heads", true},
    {"attention.layer_norm_epsilon", "layer_norm_eps", true},
};

static void completeBert(GgufConfig &config) {
  config.set("hidden_act", "gelu");
  config.setEncoder();
}
static void completeNomicBert(GgufConfig &config) {
  config.set("hidden_act", "silu");
  config.setEncoder();
  config.setRotary();
}

// The lists of the names of tensors and of the keys of each architecture.
static constexpr TensorList tensorsOfBert[] = {bertTensors}, tensorsOfGemma[] = {decoderTensors, normBeforeFfn},
                            tensorsOfGemma2[] = {decoderTensors, normsAroundParts},
                            tensorsOfGemma3[] = {decoderTensors, normsAroundPartsAndOfHeads},
                            tensorsOfGpt2[] = {gpt2Tensors}, tensorsOfLlama[] = {decoderTensors, normBeforeFfn},
                            tensorsOfNomicBert[] = {nomicBertTensors},
                            tensorsOfPhi3[] = {decoderTensors, normBeforeFfn, packedProjections},
                            tensorsOfQwen3[] = {decoderTensors, normsOfHeads};
static constexpr KeyList keysOfEncoders[] = {encoderKeys}, keysOfGemma2[] = {decoderKeys, gemma2Keys},
                         keysOfGemma3[] = {decoderKeys, gemma3Keys}, keysOfGpt2[] = {gpt2Keys},
                         keysOfPhi3[] = {decoderKeys, phi3Keys};

static constexpr GgufArchitecture architectures[] = {
    {"bert", "bert", tensorsOfBert, keysOfEncoders, completeBert},
    {"gemma", "gemma", tensorsOfGemma, keysOfDecoders, completeGemma},
    {"gemma2", "gemma2", tensorsOfGemma2, keysOfGemma2, completeGemma2},
    {"gemma3", "gemma3_text", tensorsOfGemma3, keysOfGemma3, completeGemma3},
    {"gpt2", "gpt2", tensorsOfGpt2, keysOfGpt2, completeGpt2},
    {"llama", "llama", tensorsOfLlama, keysOfDecoders, completeLlama, /*pairsAreAdjacent=*/true,
     /*shortFactors=*/"rope_freqs.weight", /*longFactors=*/"rope_freqs.weight"},
    {"nomic-bert", "nomic_bert", tensorsOfNomicBert, keysOfEncoders, completeNomicBert},
    {"phi3", "phi3", tensorsOfPhi3, keysOfPhi3, completePhi3, /*pairsAreAdjacent=*/false,
     /*shortFactors=*/"rope_factors_short.weight", /*longFactors=*/"rope_factors_long.weight",
     /*hasPartialRotation=*/true},
    {"qwen2", "qwen2", tensorsOfLlama, keysOfDecoders, completePlain},
    {"qwen3", "qwen3", tensorsOfQwen3, keysOfDecoders, completePlain},
    {"smollm3", "smollm3", tensorsOfLlama, keysOfDecoders, completePlain, /*pairsAreAdjacent=*/true},
};

ArrayRef<GgufArchitecture> heddle::getGgufArchitectures() { return architectures; }
