"""A small BERT model with linear layers of any size. The model can be written as a Hugging Face directory, and computed
by numpy in f64."""
import json
import math

import numpy as np

import tensors

LAYER = "encoder.layer.0."
PROJECTIONS = [LAYER + name for name in ("attention.self.query", "attention.self.key", "attention.self.value",
                                         "attention.output.dense", "intermediate.dense", "output.dense")]
EPSILON = 1e-5


class Bert:
    """The model, with one encoder layer and random weights. `words` is the size of its vocabulary. The argument
    layer(random, outputs, inputs) makes a linear layer: this function returns the tensors that are stored and the
    weight [outputs, inputs] in f64 that they represent."""

    def __init__(self, random, hidden, inner, heads, layer, words=11):
        self.hidden, self.inner, self.heads, self.words = hidden, inner, heads, words
        sizes = {LAYER + "intermediate.dense": (inner, hidden), LAYER + "output.dense": (hidden, inner)}
        self.weights, self.stored = {}, {}
        for name, rows in (("word", words), ("position", 8), ("token_type", 2)):
            self.stored[f"embeddings.{name}_embeddings.weight"] = random.standard_normal((rows, hidden)).astype(np.float32)
        for name in ("embeddings.LayerNorm", LAYER + "attention.output.LayerNorm", LAYER + "output.LayerNorm"):
            self.stored[name + ".weight"] = (random.random(hidden) + 0.5).astype(np.float32)
            self.stored[name + ".bias"] = random.standard_normal(hidden).astype(np.float32)
        for name in PROJECTIONS:
            outputs, inputs = sizes.get(name, (hidden, hidden))
            parts, self.weights[name] = layer(random, outputs, inputs)
            self.stored |= {f"{name}.{part}": array for part, array in parts.items()}
            self.stored[name + ".bias"] = random.standard_normal(outputs).astype(np.float32)

    def write(self, folder, quantization):
        """Writes the directory. `quantization` is the quantization_config of config.json."""
        config = {"model_type": "bert", "architectures": ["BertModel"], "vocab_size": self.words, "hidden_size": self.hidden,
                  "num_hidden_layers": 1, "num_attention_heads": self.heads, "intermediate_size": self.inner,
                  "max_position_embeddings": 8, "type_vocab_size": 2, "layer_norm_eps": EPSILON, "hidden_act": "gelu",
                  "pad_token_id": 0, "quantization_config": quantization}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "model.safetensors").write_bytes(tensors.encode(self.stored))

    def hidden_state(self, ids, rounding=lambda name, x: x):
        """Returns last_hidden_state for ids [batch, positions] without padding. rounding(name, x) returns the rounded
        input rows x of the linear layer `name`."""
        linear = lambda name, x: rounding(name, x) @ self.weights[name].T + self.stored[name + ".bias"]
        x = self._norm("embeddings.LayerNorm", self._table("word")[ids] + self._table("position")[:ids.shape[1]]
                       + self._table("token_type")[0])
        q, k, v = (self._heads(linear(name, x)) for name in PROJECTIONS[:3])
        scores = q @ np.swapaxes(k, 2, 3) / np.sqrt(self.hidden // self.heads)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = np.swapaxes(scores / scores.sum(-1, keepdims=True) @ v, 1, 2).reshape(x.shape)
        x = self._norm(LAYER + "attention.output.LayerNorm", linear(PROJECTIONS[3], mixed) + x)
        wide = linear(PROJECTIONS[4], x)
        wide = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
        return self._norm(LAYER + "output.LayerNorm", linear(PROJECTIONS[5], wide) + x)

    def _table(self, name):
        """Returns an embedding table in f64."""
        return self.stored[f"embeddings.{name}_embeddings.weight"].astype(np.float64)

    def _norm(self, name, x):
        off = x - x.mean(-1, keepdims=True)
        return off / np.sqrt((off ** 2).mean(-1, keepdims=True) + EPSILON) * self.stored[name + ".weight"] \
            + self.stored[name + ".bias"]

    def _heads(self, x):
        """Splits rows [batch, positions, hidden] into heads: [batch, heads, positions, size]."""
        return np.swapaxes(x.reshape(*x.shape[:2], self.heads, -1), 1, 2)
