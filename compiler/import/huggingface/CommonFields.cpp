//===- CommonFields.cpp - fields of every config.json ---------------------===//

#include "CommonFields.h"

using namespace mlir;
using namespace heddle;

/// Fields about the model's origin, its labels, its file formats and its use in other tools.
static constexpr StringRef origin[] = {
    "_attn_implementation", "_attn_implementation_autoset", "_commit_hash", "_model_name_or_path", "_name_or_path",
    "_num_labels", "attn_implementation", "auto_map", "dtype", "finetuning_task", "label2id", "language", "name", "prefix",
    "problem_type", "sbert_ce_default_activation_function", "sentence_transformers", "task_specific_params",
    "tokenizer_class", "torch_dtype", "torchscript", "transformers.js_config", "transformers_version",
    "unsloth_version", "use_bfloat16"};

/// Fields that only training reads.
static constexpr StringRef training[] = {
    "attention_dropout", "attention_probs_dropout_prob", "attn_pdrop", "classifier_dropout",
    "classifier_dropout_prob", "dropout", "embd_pdrop", "gradient_checkpointing", "hidden_dropout",
    "hidden_dropout_prob", "initializer_cutoff_factor", "initializer_factor", "initializer_range", "resid_pdrop",
    "router_jitter_noise"};

/// Fields about additional outputs of a call, about its cache, and about splitting its computation into chunks.
static constexpr StringRef calls[] = {"cache_implementation", "chunk_size_feed_forward", "output_attentions",
                                      "output_hidden_states", "output_past", "return_dict", "use_cache"};

/// Fields that transformers' `generate` reads.
static constexpr StringRef generation[] = {
    "bad_words_ids", "begin_suppress_tokens", "bos_token_id", "cls_token_id", "decoder_start_token_id",
    "diversity_penalty", "do_sample", "early_stopping", "encoder_no_repeat_ngram_size", "eos_token_id",
    "eos_token_ids", "exponential_decay_length_penalty", "forced_bos_token_id", "forced_eos_token_id",
    "length_penalty", "mask_token_id", "max_length", "min_length", "no_repeat_ngram_size", "num_beam_groups",
    "num_beams", "num_return_sequences", "output_scores", "pad_token_id", "remove_invalid_values",
    "repetition_penalty", "return_dict_in_generate", "sep_token_id", "suppress_tokens", "temperature", "top_k",
    "top_p", "typical_p", "unk_token_id"};

/// Fields on which only some heads depend. The code of these heads reads them; models with other heads ignore them.
static constexpr StringRef heads[] = {"id2label", "num_labels", "tie_word_embeddings"};

void heddle::readCommonFields(Config &config) {
  for (ArrayRef<StringRef> fields : {ArrayRef(heads), ArrayRef(origin), ArrayRef(training), ArrayRef(calls), ArrayRef(generation)})
    config.ignore(fields);
  if (config.count("pruned_heads") > 0)
    config.refuse("pruned_heads") << "pruned heads are not supported";
  for (StringRef field : {"add_cross_attention", "is_encoder_decoder"})
    if (config.flag(field))
      config.refuse(field) << "a model that attends to an encoder is not supported";
}
