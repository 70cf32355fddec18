"""Single operations: attention, linear, layer_norm and softmax, as quoted operations."""
import numpy as np
import torch
import torch.nn.functional as F

from . import Work


class Operation(Work):
    """`knobs` are those of the quoted operation."""
    kind = None

    def __init__(self, cache, **knobs):
        self.knobs = knobs
        super().__init__("-".join([self.kind] + [f"{k}{v}" for k, v in knobs.items()]), cache)

    def build(self):
        generator = torch.Generator().manual_seed(3)
        inputs = {name: torch.randn(shape, generator=generator) * self.spread(name, shape)
                  for name, shape in self.shapes().items()}
        result = self.function(**{name: value.double() for name, value in inputs.items()})()
        return ({name: value.numpy() for name, value in inputs.items()},
                {"out": result.numpy().astype(np.float32)})

    def heddle_arguments(self):
        return [" ".join([self.kind] + [f"{knob}={value}" for knob, value in self.knobs.items()])]

    def torch_function(self):
        return self.function(**{name: self.tensor(name) for name in self.inputs})

    def spread(self, name, shape):
        return 1

    def shapes(self):
        raise NotImplementedError

    def function(self, **inputs):
        raise NotImplementedError


class Attention(Operation):
    kind = "attention"

    def shapes(self):
        b, sq, d = self.knobs["b"], self.knobs.get("sq", self.knobs.get("s")), self.knobs["d"]
        skv = self.knobs.get("skv", sq)
        return {"q": (b, self.knobs["hq"], sq, d), "k": (b, self.knobs["hkv"], skv, d),
                "v": (b, self.knobs["hkv"], skv, d)}

    def flops(self):
        b, h, sq, d = self.shapes()["q"]
        skv = self.shapes()["k"][2]
        scores = sq * (sq + 1) // 2 if self.causal() else sq * skv
        return 4 * b * h * scores * d if sq > 1 else 0

    def moved(self):
        return 4 * 2 * np.prod(self.shapes()["k"]) if self.shapes()["q"][2] == 1 else 0

    def causal(self):
        return self.knobs.get("causal") == "upper_left"

    def function(self, q, k, v):
        causal = self.causal()
        return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)


class Linear(Operation):
    """Weights are constants of the model, the same for every contestant."""
    kind = "linear"
    MODEL = """module attributes {{heddle.weight_files = ["weights.safetensors"]}} {{
  func.func @main(%x: tensor<{m}x{k}xf32> {{heddle.name = "input"}}) -> (tensor<{m}x{n}xf32> {{heddle.name = "out"}}) {{
    %w = heddle.weight "weight" : tensor<{k}x{n}xf32>
    %b = heddle.weight "bias" : tensor<{n}xf32>
    %0 = heddle.linear %x, %w bias(%b){activation} : (tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>, tensor<{n}xf32>) -> tensor<{m}x{n}xf32>
    return %0 : tensor<{m}x{n}xf32>
  }}
}}
"""

    def shapes(self):
        m, n, k = self.knobs["m"], self.knobs["n"], self.knobs["k"]
        return {"input": (m, k), "weight": (k, n), "bias": (n,)}

    def flops(self):
        return 2 * self.knobs["m"] * self.knobs["n"] * self.knobs["k"] if self.knobs["m"] > 1 else 0

    def moved(self):
        return 4 * self.knobs["n"] * self.knobs["k"] if self.knobs["m"] == 1 else 0

    def spread(self, name, shape):
        return 1 if name == "input" else self.knobs["k"] ** -0.5

    def function(self, input, weight, bias):
        weight = weight.t().contiguous()
        if self.knobs.get("activation") == "gelu":
            return lambda: F.gelu(F.linear(input, weight, bias))
        return lambda: F.linear(input, weight, bias)

    def build(self):
        from safetensors.numpy import save_file
        inputs, expected = super().build()
        save_file({name: inputs[name] for name in ("weight", "bias")}, self.folder / "weights.safetensors")
        activation = f" activation({self.knobs['activation']})" if "activation" in self.knobs else ""
        sizes = {name: self.knobs[name] for name in "mnk"}
        (self.folder / "linear.mlir").write_text(self.MODEL.format(activation=activation, **sizes))
        return inputs, expected

    def heddle_arguments(self):
        return [str(self.folder / "linear.mlir")]


class Norm(Operation):
    def moved(self):
        return 4 * 2 * self.knobs["rows"] * self.knobs["d"]


class LayerNorm(Norm):
    kind = "layer_norm"

    def shapes(self):
        rows, d = self.knobs["rows"], self.knobs["d"]
        return {"input": (rows, d), "scale": (d,), "bias": (d,)}

    def function(self, input, scale, bias):
        return lambda: F.layer_norm(input, (self.knobs["d"],), scale, bias)


class Softmax(Norm):
    kind = "softmax"

    def shapes(self):
        return {"input": (self.knobs["rows"], self.knobs["d"])}

    def function(self, input):
        return lambda: torch.softmax(input, -1)
