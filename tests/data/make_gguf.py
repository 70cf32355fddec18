"""Writes small GGUF files from the model directories of the tests:

    python3 tests/data/make_gguf.py tests/data/huggingface tests/data/gguf

The files were written with gguf 0.19.0 (the package of llama.cpp), numpy and safetensors. gguf determines the names of
keys and tensors; the order of rows and the scales of norms are those of llama.cpp's convert_hf_to_gguf.py. For each
file, cases.json contains the directory with the same weights, and the fields of config.json in which the directory must
differ to be the same model: a GGUF file cannot express all options. A field that is null in cases.json is removed.

Files whose names contain a type are models with random weights and longer rows, since the rows of the other models are
too short for blocks. gguf quantises the matrices of these models.
"""

import json
import pathlib
import sys

import gguf
import numpy
from safetensors.numpy import load_file

from make_formats import random_blocks

Arch, Type = gguf.MODEL_ARCH, gguf.GGMLQuantizationType

# By file: the directory, the architecture, and the fields in which the directory must differ.
CASES = {
    "llama": ("tiny-llama", Arch.LLAMA, {}),
    "llama-biases": ("tiny-llama-biases", Arch.LLAMA, {"hidden_act": "silu"}),
    "mistral": ("tiny-mistral", Arch.LLAMA, {"sliding_window": None}),
    "qwen2": ("tiny-qwen2", Arch.QWEN2, {"use_sliding_window": False, "layer_types": None, "max_window_layers": None,
                                         "sliding_window": None}),
    "qwen3": ("tiny-qwen3", Arch.QWEN3, {"attention_bias": False}),
    "smollm3": ("tiny-smollm3", Arch.SMOLLM3, {"no_rope_layers": None, "no_rope_layer_interval": 4, "layer_types": None,
                                               "use_sliding_window": False, "sliding_window": None}),
    "gemma": ("tiny-gemma", Arch.GEMMA, {}),
    "gemma2": ("tiny-gemma2", Arch.GEMMA2, {"query_pre_attn_scalar": 6}),
    "gemma3": ("tiny-gemma3", Arch.GEMMA3, {"query_pre_attn_scalar": 6}),
    "phi3": ("tiny-phi3", Arch.PHI3, {"sliding_window": None}),
    "gpt2": ("tiny-gpt2", Arch.GPT2, {}),
    "bert": ("sentence-bert", Arch.BERT, {}),
    "nomic-bert": ("nomic_bert", Arch.NOMIC_BERT, {}),
}
ADJACENT = (Arch.LLAMA, Arch.SMOLLM3)  # the elements of a rotated pair are next to each other
QUANTISED = {"llama-q8_0": ("llama", Arch.LLAMA, Type.Q8_0), "gemma3-q8_0": ("gemma3", Arch.GEMMA3, Type.Q8_0),
             "llama-q4_0": ("llama", Arch.LLAMA, Type.Q4_0), "llama-q4_1": ("llama", Arch.LLAMA, Type.Q4_1)}


def permuted(rows, heads):
    """Orders the rows of queries or keys: in the file, elements i and i + size / 2 of a head are next to each other."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def field(config, *names):
    """Returns the first of these fields that the configuration has."""
    return next(config[name] for name in names if name in config)


def write_keys(writer, arch, config):
    heads, hidden = field(config, "num_attention_heads", "n_head"), field(config, "hidden_size", "n_embd")
    writer.add_name("tiny")
    writer.add_type("model")
    writer.add_context_length(field(config, "max_position_embeddings", "n_positions"))
    writer.add_embedding_length(hidden)
    writer.add_block_count(field(config, "num_hidden_layers", "n_layer"))
    writer.add_feed_forward_length(field(config, "intermediate_size", "n_inner") or 4 * hidden)
    writer.add_head_count(heads)
    is_rms = arch not in (Arch.GPT2, Arch.BERT, Arch.NOMIC_BERT)
    if is_rms:
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    else:
        writer.add_layer_norm_eps(field(config, "layer_norm_eps", "layer_norm_epsilon"))
    writer.add_file_type(0)
    writer.add_quantization_version(2)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"token {i}" for i in range(config["vocab_size"])])
    if arch in (Arch.BERT, Arch.NOMIC_BERT):
        writer.add_causal_attention(False)
    rope = config.get("rope_parameters")
    if not rope:
        return
    if is_rms and config.get("head_dim"):
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
    if arch == Arch.PHI3:
        writer.add_rope_scaling_orig_ctx_len(config["original_max_position_embeddings"])
    if arch == Arch.LLAMA:
        writer.add_vocab_size(config["vocab_size"])
    if arch in (Arch.LLAMA, Arch.PHI3):
        writer.add_rope_dimension_count(config.get("head_dim") or hidden // heads)
    if arch == Arch.GEMMA2:
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    if arch in (Arch.GEMMA2, Arch.GEMMA3):
        writer.add_sliding_window(config["sliding_window"])
    if arch == Arch.GEMMA3:
        writer.add_sliding_window_pattern(2)
        writer.add_float32("gemma3.rope.freq_base_swa", rope["sliding_attention"]["rope_theta"])
        rope = rope["full_attention"]
    writer.add_rope_freq_base(rope["rope_theta"])
    if rope.get("rope_type") == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])


def write(path, arch, config, tensors, kind=Type.F32):
    writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[arch])
    write_keys(writer, arch, config)
    names = gguf.get_tensor_name_map(arch, field(config, "num_hidden_layers", "n_layer"))
    for name, tensor in tensors.items():
        if name.startswith("lm_head") and config.get("tie_word_embeddings"):
            continue
        if arch == Arch.QWEN3 and name.endswith(".bias"):  # llama.cpp has no biases in this architecture
            continue
        if name.startswith("pooler") or "position_ids" in name:  # llama.cpp does not read these tensors
            continue
        if arch == Arch.GPT2 and name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
            tensor = numpy.ascontiguousarray(tensor.T)
        new = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if arch in ADJACENT and "q_proj" in name:
            tensor = permuted(tensor, config["num_attention_heads"])
        if arch in ADJACENT and "k_proj" in name:
            tensor = permuted(tensor, config["num_key_value_heads"])
        if "gemma" in gguf.MODEL_ARCH_NAMES[arch] and name.endswith("norm.weight"):
            tensor = tensor + numpy.float32(1)
        if kind != Type.F32 and tensor.ndim == 2:
            writer.add_tensor(new, gguf.quantize(tensor, kind), raw_dtype=kind)
        else:
            writer.add_tensor(new, numpy.ascontiguousarray(tensor))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_quantised(path, like, arch, kind, source):
    """Writes a model of one layer whose matrices have the type `kind`, with rows of 32 and 64 elements."""
    directory, _, _ = CASES[like]
    config = json.loads((source / directory / "config.json").read_text())
    config.update(hidden_size=32, intermediate_size=64, head_dim=8, num_hidden_layers=1)
    heads, keys = config["num_attention_heads"] * 8, config["num_key_value_heads"] * 8
    shapes = {"q_proj": (heads, 32), "k_proj": (keys, 32), "v_proj": (keys, 32), "o_proj": (32, heads),
              "gate_proj": (64, 32), "up_proj": (64, 32), "down_proj": (32, 64), "q_norm": (8,), "k_norm": (8,),
              "embed_tokens": (config["vocab_size"], 32), "lm_head": (config["vocab_size"], 32)}
    random, tensors = numpy.random.default_rng(1), {}
    for name, old in load_file(source / directory / "model.safetensors").items():
        if "layers." in name and "layers.0." not in name:
            continue
        stem = name.split(".")[-2]
        shape = shapes.get(stem, (32,))[:old.ndim]
        tensors[name] = random.standard_normal(shape).astype(numpy.float32) * numpy.float32(0.3)
    write(path, arch, config, tensors, kind)


def write_mixed(path, source):
    """Writes a model of one layer, with rows of 256 and 32 elements, whose matrices have many types. gguf cannot quantise
    to all of them, so their blocks are random."""
    config = json.loads((source / "tiny-llama" / "config.json").read_text())
    config.update(hidden_size=256, intermediate_size=32, head_dim=8, num_hidden_layers=1)
    writer = gguf.GGUFWriter(path, "llama")
    write_keys(writer, Arch.LLAMA, config)
    queries, keys = config["num_attention_heads"] * 8, config["num_key_value_heads"] * 8
    random = numpy.random.default_rng(1)
    for name, kind, shape in [
        ("token_embd", Type.Q6_K, (config["vocab_size"], 256)), ("output", Type.Q5_K, (config["vocab_size"], 256)),
        ("blk.0.attn_q", Type.Q4_K, (queries, 256)), ("blk.0.attn_k", Type.Q5_0, (keys, 256)),
        ("blk.0.attn_v", Type.IQ4_NL, (keys, 256)), ("blk.0.attn_output", Type.Q5_1, (256, queries)),
        ("blk.0.ffn_gate", Type.MXFP4, (32, 256)), ("blk.0.ffn_up", Type.Q4_1, (32, 256)),
        ("blk.0.ffn_down", Type.Q8_0, (256, 32)),
    ]:
        blocks = random_blocks(kind, shape[0] * shape[1], random, 0.002 if gguf.GGML_QUANT_SIZES[kind][0] == 32 else 1e-4)
        writer.add_tensor(name + ".weight", blocks.reshape(shape[0], -1), raw_dtype=kind)
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        writer.add_tensor(name + ".weight", numpy.ones(256, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    source, folder = map(pathlib.Path, sys.argv[1:])
    for name, (directory, arch, fields) in CASES.items():
        config = json.loads((source / directory / "config.json").read_text())
        write(folder / f"{name}.gguf", arch, {**config, **fields}, load_file(source / directory / "model.safetensors"))
    cases = {name: {"directory": directory, "fields": fields} for name, (directory, _, fields) in CASES.items()}
    (folder / "cases.json").write_text(json.dumps(cases, indent=2) + "\n")
    for name, (like, arch, kind) in QUANTISED.items():
        write_quantised(folder / f"{name}.gguf", like, arch, kind, source)
    write_mixed(folder / "llama-mixed.gguf", source)
