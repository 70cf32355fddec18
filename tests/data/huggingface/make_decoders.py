"""Writes small decoders of the families that Heddle supports, with random weights, inputs and expected results:

    python3 tests/data/huggingface/make_decoders.py tests/data/huggingface [CASE...]

The files were written with transformers 5.23.0 (tiny-gemma3-bidirectional: 5.24.0), torch 2.15.0 and safetensors.
transformers computes the results in f64 with its default attention, except for the angles of rotary embeddings, which
it always computes in f32. The inputs in each directory are three prompts: one without padding, one padded on the right,
and one padded on the left.

Each `rotary/NAME` contains a configuration with other rope parameters for the same small llama,
`rotary/model.safetensors`.
"""

import json
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModel

SIZES = {
    "vocab_size": 13, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None,
}
NEOX_SIZES = {name: size for name, size in SIZES.items() if name != "num_key_value_heads"}
YARN = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 500.0, "original_max_position_embeddings": 16}
LONG = {"type": "longrope", "short_factor": [1.1, 1.3], "long_factor": [2.0, 3.5]}

# By directory: model_type, the suffix of the AutoModel class, and the fields that differ from the defaults.
CASES = {
    "tiny-gpt2-model": ("gpt2", "", {
        "vocab_size": 13, "n_embd": 16, "n_layer": 2, "n_head": 4, "n_positions": 32, "n_inner": 20, "bos_token_id": 0,
        "eos_token_id": 0, "activation_function": "relu", "scale_attn_by_inverse_layer_idx": True}),
    "tiny-gpt2": ("gpt2", "ForCausalLM", {
        "vocab_size": 13, "n_embd": 16, "n_layer": 2, "n_head": 4, "n_positions": 32, "bos_token_id": 0,
        "eos_token_id": 0}),
    "tiny-gpt-neox": ("gpt_neox", "ForCausalLM", {**NEOX_SIZES, "rotary_pct": 0.5, "rotary_emb_base": 1000}),
    "tiny-gpt-neox-serial": ("gpt_neox", "", {**NEOX_SIZES, "use_parallel_residual": False, "attention_bias": False,
                                             "rotary_pct": 1.0}),
    "tiny-llama": ("llama", "ForCausalLM", {**SIZES, "rope_theta": 500.0}),
    "tiny-llama-biases": ("llama", "ForCausalLM", {**SIZES, "attention_bias": True, "mlp_bias": True, "head_dim": 6,
                                                   "tie_word_embeddings": True, "hidden_act": "gelu"}),
    "tiny-mistral": ("mistral", "ForCausalLM", {**SIZES, "sliding_window": 5}),
    "tiny-qwen2": ("qwen2", "ForCausalLM", {**SIZES, "use_sliding_window": True, "sliding_window": 4,
                                            "max_window_layers": 1}),
    "tiny-qwen3": ("qwen3", "ForCausalLM", {**SIZES, "head_dim": 8, "attention_bias": True,
                                            "tie_word_embeddings": True}),
    "tiny-gemma": ("gemma", "ForCausalLM", {**SIZES, "head_dim": 6, "num_key_value_heads": 1}),
    "tiny-gemma2": ("gemma2", "ForCausalLM", {**SIZES, "head_dim": 6, "query_pre_attn_scalar": 9, "sliding_window": 5,
                                              "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}),
    "tiny-phi3": ("phi3", "ForCausalLM", {**SIZES, "sliding_window": 7}),
    "tiny-smollm3": ("smollm3", "ForCausalLM", {**SIZES, "num_hidden_layers": 4, "no_rope_layer_interval": 3,
                                                "use_sliding_window": True, "sliding_window": 6}),
    "tiny-gpt2-tokens": ("gpt2", "ForTokenClassification", {
        "vocab_size": 13, "n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 32, "n_inner": 20, "bos_token_id": 0,
        "eos_token_id": 0, "num_labels": 5}),
    "tiny-llama-classifier": ("llama", "ForSequenceClassification", {**SIZES, "num_hidden_layers": 1,
                                                                     "pad_token_id": 3, "num_labels": 4}),
    "tiny-gemma3": ("gemma3_text", "ForCausalLM", {
        **SIZES, "num_hidden_layers": 3, "head_dim": 6, "query_pre_attn_scalar": 9, "sliding_window": 5,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "max_position_embeddings": 64,
        "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 2.5, "rope_theta": 500.0},
                            "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}}}),
    "tiny-gemma3-bidirectional": ("gemma3_text", "", {
        **SIZES, "num_hidden_layers": 3, "head_dim": 6, "query_pre_attn_scalar": 9, "sliding_window": 6,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        "use_bidirectional_attention": True}),
}

# By directory below rotary/: fields of config.json that replace or extend those of the small llama in write_rotary().
ROTARY = {
    "linear": {"rope_scaling": {"type": "linear", "factor": 2.5}, "rope_theta": 300.0},
    "dynamic": {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 100.0},
                "max_position_embeddings": 16},
    "dynamic-short": {"rope_scaling": {"type": "dynamic", "factor": 2.0}, "max_position_embeddings": 64},
    "yarn": {"rope_parameters": YARN, "max_position_embeddings": 64},
    "yarn-mscale": {"rope_parameters": {**YARN, "mscale": 0.7, "mscale_all_dim": 0.4, "beta_fast": 4.0,
                                        "beta_slow": 0.5, "truncate": False}, "max_position_embeddings": 64},
    "llama3": {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                "original_max_position_embeddings": 32}, "rope_theta": 100.0},
    "longrope-short": {"rope_scaling": {**LONG, "factor": 4.0, "original_max_position_embeddings": 32}},
    "longrope-long": {"rope_scaling": {**LONG, "attention_factor": 1.25}, "original_max_position_embeddings": 16,
                      "max_position_embeddings": 64},
}


def to_f64(model):
    """Converts the parameters to f64. Buffers, such as the frequencies of rotary embeddings, stay in f32."""
    for parameter in model.parameters():
        parameter.data = parameter.data.double()
    return model


def in_f64():
    """Changes torch so that f64 tensors are not converted to f32. (transformers converts them in norms and softmax.)"""
    to, to_float, softmax = torch.Tensor.to, torch.Tensor.float, torch.nn.functional.softmax
    wide = lambda tensor: tensor.dtype == torch.float64

    def keep(self, *arguments, **named):
        if wide(self):
            arguments = [torch.float64 if a is torch.float32 else a for a in arguments]
            named = {k: torch.float64 if v is torch.float32 else v for k, v in named.items()}
        return to(self, *arguments, **named)

    torch.Tensor.to = keep
    torch.Tensor.float = lambda self: self if wide(self) else to_float(self)
    torch.nn.functional.softmax = lambda x, dim, dtype=None: softmax(x, dim=dim)


def prompts(vocabulary, rows=3, length=17, padding=None):
    ids = torch.randint(0, vocabulary, (rows, length))
    mask = torch.ones_like(ids)
    if rows > 1:
        mask[1, -5:] = 0
        mask[2, :6] = 0
    if padding is not None:
        ids[mask == 0] = padding
    return {"input_ids": ids, "attention_mask": mask}


def randomize(model):
    """Sets random weights that are larger than the usual initial weights, so that attention is far from uniform."""
    for name, parameter in model.named_parameters():
        parameter.data = torch.randn_like(parameter) * (0.1 if "norm" in name or "ln_" in name else 0.4)
        if ("norm" in name or "ln_" in name) and name.endswith("weight") and "gemma" not in model.config.model_type:
            parameter.data += 1


def write_results(folder, model, inputs):
    output = "last_hidden_state" if model.base_model is model else "logits"
    with torch.no_grad():
        result = to_f64(model).eval()(**inputs)[output]
    assert result.dtype == torch.float64
    save_file(inputs, folder / "inputs.safetensors")
    save_file({output: result.float()}, folder / "expected.safetensors")


def make(kind, head, fields):
    return getattr(transformers, "AutoModel" + head).from_config(AutoConfig.for_model(kind, **fields))


def write_family(folder, number, kind, head, fields):
    torch.manual_seed(number)
    model = make(kind, head, fields)
    randomize(model)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    write_results(folder, model, prompts(model.config.vocab_size, padding=model.config.pad_token_id))


def write_rotary(folder):
    fields = {**SIZES, "vocab_size": 7, "hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 1,
              "intermediate_size": 8, "num_hidden_layers": 1, "tie_word_embeddings": True}
    torch.manual_seed(100)
    first = make("llama", "", fields)
    randomize(first)
    first.save_pretrained(folder)
    (folder / "config.json").unlink()
    state = {name: tensor.clone() for name, tensor in first.state_dict().items()}
    inputs = prompts(7, rows=1, length=29)
    for name, different in ROTARY.items():
        torch.manual_seed(101)
        written = {"model_type": "llama", "architectures": ["LlamaModel"], **fields, **different}
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "config.json").write_text(json.dumps(written, indent=2) + "\n")
        model = AutoModel.from_config(AutoConfig.from_pretrained(folder / name))
        model.load_state_dict(state)
        write_results(folder / name, model, inputs)
        (folder / name / "inputs.safetensors").rename(folder / "inputs.safetensors")


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    in_f64()
    wanted = sys.argv[2:]
    for number, (name, case) in enumerate(CASES.items()):
        if not wanted or name in wanted:
            write_family(root / name, number, *case)
    if not wanted or "rotary" in wanted:
        (root / "rotary").mkdir(exist_ok=True)
        write_rotary(root / "rotary")
