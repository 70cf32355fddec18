"""Writes small decoders with tokenizers: the same llama with random weights as a directory and as a GGUF file."""
import json
import pathlib
import shutil
import tempfile

import numpy as np

import gguf_files
import heddle
import support
import vocabularies

TEMPLATE = ("{% for message in messages %}{{ '<|start|>' + message.role + '\n' + message.content + '<|end|>\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|start|>assistant\n' }}{% endif %}")
HIDDEN, BETWEEN, HEADS, KEY_HEADS, SIZE, LONGEST = 32, 48, 4, 2, 8, 192
DIMS = {"capacity": range(1, LONGEST + 1)}  # the sizes for which the tests compile the models


def weights(words):
    """Returns the weights by the names of a Hugging Face directory."""
    layer = "model.layers.0."
    shapes = {f"{layer}self_attn.q_proj": (HEADS * SIZE, HIDDEN), f"{layer}self_attn.o_proj": (HIDDEN, HEADS * SIZE),
              f"{layer}mlp.down_proj": (HIDDEN, BETWEEN), "model.embed_tokens": (words, HIDDEN), "lm_head": (words, HIDDEN)}
    shapes.update({f"{layer}self_attn.{part}_proj": (KEY_HEADS * SIZE, HIDDEN) for part in "kv"})
    shapes.update({f"{layer}mlp.{part}_proj": (BETWEEN, HIDDEN) for part in ("gate", "up")})
    random = np.random.default_rng(8)
    found = {f"{name}.weight": 2 * random.standard_normal(shape) / np.sqrt(shape[1]) for name, shape in shapes.items()}
    for name in (f"{layer}input_layernorm", f"{layer}post_attention_layernorm", "model.norm"):
        found[f"{name}.weight"] = random.uniform(0.5, 1.5, HIDDEN)
    return {name: array.astype(np.float32) for name, array in found.items()}


def directory(folder):
    """Writes the directory of the model and returns its path."""
    path = folder / "talking"
    path.mkdir()
    keys = vocabularies.byte_level()
    words = len(keys["tokenizer.ggml.tokens"])
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": HIDDEN, "intermediate_size": BETWEEN,
              "num_hidden_layers": 1, "num_attention_heads": HEADS, "num_key_value_heads": KEY_HEADS, "head_dim": SIZE,
              "vocab_size": words, "max_position_embeddings": LONGEST, "rms_norm_eps": 1e-5, "hidden_act": "silu",
              "tie_word_embeddings": False, "eos_token_id": 2, "rope_parameters": {"rope_theta": 1e4, "rope_type": "default"}}
    (path / "config.json").write_text(json.dumps(config))
    (path / "generation_config.json").write_text(json.dumps({"eos_token_id": [1]}))
    (path / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|end|>", "chat_template": TEMPLATE}))
    support.write_safetensors(path / "model.safetensors", weights(words))
    heddle.Tokenizer.open(gguf_files.write(folder / "vocabulary.gguf", keys)).backend.save(str(path / "tokenizer.json"))
    return path


def gguf_file(folder):
    """Writes the GGUF file of the model and returns its path."""
    keys = {"general.architecture": "llama", "llama.block_count": 1, "llama.context_length": LONGEST,
            "llama.embedding_length": HIDDEN, "llama.feed_forward_length": BETWEEN, "llama.attention.head_count": HEADS,
            "llama.attention.head_count_kv": KEY_HEADS, "llama.attention.key_length": SIZE,
            "llama.attention.value_length": SIZE, "llama.attention.layer_norm_rms_epsilon": 1e-5,
            "llama.rope.dimension_count": SIZE, "llama.rope.freq_base": 1e4, **vocabularies.byte_level(),
            "tokenizer.chat_template": TEMPLATE}
    names = {"model.embed_tokens": "token_embd", "lm_head": "output", "model.norm": "output_norm"}
    parts = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
             "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
             "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
    names.update({f"model.layers.0.{name}": f"blk.0.{new}" for name, new in parts.items()})
    tensors = {}
    for name, array in weights(len(keys["tokenizer.ggml.tokens"])).items():
        if "q_proj" in name or "k_proj" in name:  # elements i and i + SIZE / 2 of a head are neighbours in the file
            array = array.reshape(-1, 2, SIZE // 2, HIDDEN).swapaxes(1, 2).reshape(array.shape)
        tensors[names[name[:-len(".weight")]] + ".weight"] = array
    return gguf_files.write(folder / "talking.gguf", keys, tensors)


class Talking(support.Folder):
    """A test case with the model of the directory (`model`), its tokenizer, and the path of the directory."""

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="heddle python "))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.directory = directory(cls.place)
        cls.model = heddle.LanguageModel(cls.directory, **DIMS)
        cls.tokenizer = cls.model.tokenizer
