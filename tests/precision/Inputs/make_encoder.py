"""make_encoder.py DIR KIND: writes an encoder whose random weights have a fixed seed, as a directory of
sentence-transformers, and inputs for 16 sentences (DIR/inputs.safetensors).

KIND is `plain`, a BERT of two layers, or `outliers`, a wider RoBERTa of three layers, in which layer norms multiply a
few columns by thirty, similar to trained models.
"""
import json
import os
import random
import struct
import sys

folder, kind = sys.argv[1:]
outliers = kind == "outliers"
hidden, inner, layers, heads, words, positions = (160, 320, 3, 5, 301, 40) if outliers else (96, 192, 2, 4, 211, 40)
rng = random.Random(20 if outliers else 10)
tensors = {}


# Each of these functions adds tensors with random elements to `tensors`: name -> (type, shape, bytes). `shape` and the
# order of elements are as in a checkpoint of PyTorch.
def normal(name, shape, deviation, mean=0.0):
    count = 1
    for size in shape:
        count *= size
    tensors[name] = ("F32", shape, struct.pack(f"<{count}f", *(rng.gauss(mean, deviation) for _ in range(count))))


def linear(name, inputs, outputs):
    normal(name + ".weight", [outputs, inputs], inputs ** -0.5)
    normal(name + ".bias", [outputs], 0.1)


def norm(name):
    scale = [rng.gauss(1, 0.1) for _ in range(hidden)]
    if outliers:
        for column in (7, 53, 118):
            scale[column] *= 30
    tensors[name + ".weight"] = ("F32", [hidden], struct.pack(f"<{hidden}f", *scale))
    normal(name + ".bias", [hidden], 0.1)


for name, rows in (("word", words), ("position", positions), ("token_type", 2)):
    normal(f"embeddings.{name}_embeddings.weight", [rows, hidden], 0.5)
norm("embeddings.LayerNorm")
for i in range(layers):
    layer = f"encoder.layer.{i}."
    for name in ("query", "key", "value"):
        linear(layer + "attention.self." + name, hidden, hidden)
    linear(layer + "attention.output.dense", hidden, hidden)
    norm(layer + "attention.output.LayerNorm")
    linear(layer + "intermediate.dense", hidden, inner)
    linear(layer + "output.dense", inner, hidden)
    norm(layer + "output.LayerNorm")


def write(path, tensors):
    """Writes a .safetensors file."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(os.path.join(folder, path), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def put(path, value):
    """Writes a JSON file."""
    os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
    with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
        json.dump(value, file)


put("config.json", {
    "architectures": ["RobertaModel" if outliers else "BertModel"], "model_type": "roberta" if outliers else "bert",
    "hidden_act": "gelu", "hidden_size": hidden, "intermediate_size": inner, "num_hidden_layers": layers,
    "num_attention_heads": heads, "vocab_size": words, "max_position_embeddings": positions, "type_vocab_size": 2,
    "layer_norm_eps": 1e-12, "pad_token_id": 0})
put("modules.json", [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])
put("1_Pooling/config.json", {"word_embedding_dimension": hidden, "pooling_mode_mean_tokens": True})
write("model.safetensors", tensors)

# Sentence `row` has 1 + row % length tokens; the rest of its ids is padding.
rows, length = 16, 17
ids, mask = [], []
for row in range(rows):
    count = 1 + row % length
    ids += [rng.randrange(3, words) for _ in range(count)] + [0] * (length - count)
    mask += [1] * count + [0] * (length - count)
integers = {"input_ids": ids, "attention_mask": mask} | ({} if outliers else {"token_type_ids": [0] * len(ids)})
write("inputs.safetensors", {name: ("I64", [rows, length], struct.pack(f"<{len(values)}q", *values))
                             for name, values in integers.items()})
