"""make_llama.py DIRECTORY LAYERS [SHARDS] [DTYPE] [WIDTH BETWEEN WORDS POSITIONS]: writes a llama model as a Hugging
Face directory with SHARDS weight files (default: 1). The weights are zeros, and the files are sparse. DTYPE is F32
(default), F16 or BF16. WIDTH is the hidden size, BETWEEN the intermediate size, WORDS the size of the vocabulary, and
POSITIONS the maximum number of positions. Without sizes, each layer has 51 MB in F32."""
import json
import os
import struct
import sys

directory, layers = sys.argv[1], int(sys.argv[2])
shards = int(sys.argv[3]) if len(sys.argv) > 3 else 1
dtype = sys.argv[4] if len(sys.argv) > 4 else "F32"
width, between, words, positions = map(int, sys.argv[5:]) if len(sys.argv) > 5 else (1024, 2816, 64, 64)
config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": width,
          "intermediate_size": between, "num_hidden_layers": layers, "num_attention_heads": 16, "vocab_size": words,
          "max_position_embeddings": positions, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": True}
tensors = {"model.embed_tokens.weight": [words, width], "model.norm.weight": [width]}
for i in range(layers):
    layer = f"model.layers.{i}."
    tensors |= {f"{layer}self_attn.{name}_proj.weight": [width, width] for name in "qkvo"}
    tensors |= {f"{layer}mlp.{name}_proj.weight": [between, width] for name in ("gate", "up")}
    tensors |= {f"{layer}{name}_layernorm.weight": [width] for name in ("input", "post_attention")}
    tensors[f"{layer}mlp.down_proj.weight"] = [width, between]

os.makedirs(directory, exist_ok=True)
with open(f"{directory}/config.json", "w") as file:
    json.dump(config, file)
names, weight_map = sorted(tensors), {}
for shard in range(shards):
    header, end = {}, 0
    file_name = "model.safetensors" if shards == 1 else f"model-{shard}.safetensors"
    for name in names[shard::shards]:
        size = {"F32": 4, "F16": 2, "BF16": 2}[dtype]
        for extent in tensors[name]:
            size *= extent
        header[name] = {"dtype": dtype, "shape": tensors[name], "data_offsets": [end, end + size]}
        weight_map[name], end = file_name, end + size
    text = json.dumps(header).encode()
    with open(f"{directory}/{file_name}", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)
if shards > 1:
    with open(f"{directory}/model.safetensors.index.json", "w") as file:
        json.dump({"weight_map": weight_map}, file)
