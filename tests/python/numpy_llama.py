"""A small llama in numpy, in f64, without any code of Heddle. Each step processes one token of one sequence. A
function of the caller, `store`, may round the keys and values that are kept for later tokens."""
import json

import numpy as np

import support


def rotated(x, position, theta):
    """Returns the rows x [heads, size] after a rotary embedding at `position`. The first half of a row contains the
    real parts of complex numbers and the second half the imaginary parts."""
    half = x.shape[-1] // 2
    angle = position * theta ** (-np.arange(half) / half)
    real, imaginary = x[:, :half], x[:, half:]
    return np.concatenate([real * np.cos(angle) - imaginary * np.sin(angle),
                           imaginary * np.cos(angle) + real * np.sin(angle)], axis=1)


def normalised(x, weight, epsilon):
    """Returns the RMS norm of a row."""
    return weight * x / np.sqrt(np.mean(x * x) + epsilon)


class Llama:
    # `directory` contains a Hugging Face model of the family llama.
    def __init__(self, directory):
        self.config = json.loads((directory / "config.json").read_text())
        self.weights = {name: array.astype(np.float64)
                        for name, array in support.read_safetensors(directory / "model.safetensors").items()}
        self.layers = self.config["num_hidden_layers"]
        self.theta = self.config["rope_parameters"]["rope_theta"]

    def step(self, token, past, store):
        """Returns the logits after a token.

        `past` contains [keys, values] for each layer, of shape [heads, rows, size]; the number of rows is the position
        of the token. `store(layer, part, rows)` maps the new keys (part 0) or values (part 1) of a layer, [heads,
        size], to the rows that are appended to `past`.
        """
        position = past[0][0].shape[1]
        x = self.weights["model.embed_tokens.weight"][token]
        for layer in range(self.layers):
            x = x + self._attention(layer, x, position, past[layer], store)
            x = x + self._feed_forward(layer, x)
        x = normalised(x, self.weights["model.norm.weight"], self.config["rms_norm_eps"])
        return self.weights["lm_head.weight"] @ x

    def empty(self):
        """Returns a `past` without rows, with which `step` may begin."""
        heads, size = self.config["num_key_value_heads"], self.config["head_dim"]
        return [[np.zeros((heads, 0, size)) for _ in range(2)] for _ in range(self.layers)]

    def _weight(self, layer, name):
        return self.weights[f"model.layers.{layer}.{name}.weight"]

    def _attention(self, layer, x, position, past, store):
        size, stored = self.config["head_dim"], self.config["num_key_value_heads"]
        shared = self.config["num_attention_heads"] // stored
        x = normalised(x, self._weight(layer, "input_layernorm"), self.config["rms_norm_eps"])
        query, key, value = ((self._weight(layer, f"self_attn.{part}_proj") @ x).reshape(-1, size) for part in "qkv")
        query, key = rotated(query, position, self.theta), rotated(key, position, self.theta)
        for part, rows in enumerate((key, value)):
            past[part] = np.concatenate([past[part], store(layer, part, rows)[:, None]], axis=1)
        out = []
        for head, row in enumerate(query):
            scores = past[0][head // shared] @ row / np.sqrt(size)
            out.append(support.softmax_of(scores) @ past[1][head // shared])
        return self._weight(layer, "self_attn.o_proj") @ np.concatenate(out)

    def _feed_forward(self, layer, x):
        x = normalised(x, self._weight(layer, "post_attention_layernorm"), self.config["rms_norm_eps"])
        gate, up = self._weight(layer, "mlp.gate_proj") @ x, self._weight(layer, "mlp.up_proj") @ x
        return self._weight(layer, "mlp.down_proj") @ (gate / (1 + np.exp(-gate)) * up)
