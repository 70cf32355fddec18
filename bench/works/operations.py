"""Single operations: attention, layer_norm and softmax, which Heddle compiles as quoted operations, and linear, which
it compiles from an .mlir file with constant weights."""
import functools

import numpy as np
import torch
import torch.nn.functional as F

from . import Work


class Operation(Work):
    """`kind` is the name of the quoted operation, and `knobs` are its knobs."""
    kind = None

    def __init__(self, cache, **knobs):
        self.knobs = knobs
        super().__init__("-".join([self.kind] + [f"{k}{v}" for k, v in knobs.items()]), cache)

    def build(self):
        generator = torch.Generator().manual_seed(3)
        inputs = {name: self.value(name, torch.randn(shape, generator=generator))
                  for name, shape in self.shapes().items()}
        result = self.function(**{name: value.double() if value.is_floating_point() else value
                                  for name, value in inputs.items()})()
        return ({name: value.numpy() for name, value in inputs.items()},
                {"out": result.numpy().astype(np.float32)})

    def heddle_arguments(self):
        return [" ".join([self.kind] + [f"{knob}={value}" for knob, value in self.knobs.items()])]

    def torch_function(self):
        return self.function(**{name: self.tensor(name) for name in self.inputs})

    def value(self, name, normal):
        """Returns the input `name`, made from `normal`: normally distributed numbers in the input's shape."""
        return normal

    def shapes(self):
        """Returns the shapes of the inputs by name."""
        raise NotImplementedError

    def function(self, **inputs):
        """Returns a function without arguments that computes the operation with torch."""
        raise NotImplementedError


class Attention(Operation):
    """Multi-head attention. The speed of a single query is limited by memory, so `moved` returns 0 unless there is a
    single query, and `flops` returns 0 if there is one."""
    kind = "attention"

    def shapes(self):
        b, sq, d = self.knobs["b"], self.knobs.get("sq", self.knobs.get("s")), self.knobs["d"]
        skv = self.knobs.get("skv", sq)
        hq, hkv, full = self.knobs["hq"], self.knobs["hkv"], (b, self.knobs["hq"], sq, skv)
        shapes = {"q": (b, hq, sq, d), "k": (b, hkv, skv, d), "v": (b, hkv, skv, self.knobs.get("dv", d))}
        for name in ("bias", "mask"):
            if name in self.knobs:
                # A letter for each dimension, and 1 for a broadcast one. Leading 1s may be omitted; "1" means "bhqk".
                letters = "bhqk" if self.knobs[name] == "1" else self.knobs[name].rjust(4, "1")
                shapes[name] = tuple(1 if letter == "1" else size for letter, size in zip(letters, full))
        return shapes

    def value(self, name, normal):
        return normal > -0.5 if name == "mask" else normal

    def flops(self):
        (b, h, sq, d), (_, _, skv, dv) = self.shapes()["q"], self.shapes()["v"]
        scores = sum(self.visible(i) for i in range(sq))
        return 2 * b * h * scores * (d + dv) if sq > 1 else 0

    def moved(self):
        return 4 * 2 * np.prod(self.shapes()["k"]) if self.shapes()["q"][2] == 1 else 0

    def visible(self, query):
        """Returns the number of keys that `causal` leaves to the query with this index."""
        sq, skv = self.shapes()["q"][2], self.shapes()["k"][2]
        offset = {"upper_left": 0, "lower_right": skv - sq}.get(self.knobs.get("causal"), skv)
        return min(skv, max(0, query + 1 + offset))

    def function(self, q, k, v, bias=None, mask=None):
        """Returns a function that computes attention with torch. torch accepts no mask together with is_causal, and has
        no argument for lower-right causal order if the numbers of queries and keys differ. In this case, or with a bias
        or a mask, one additive mask, made in advance, replaces the causal order, the bias and the mask."""
        sq, skv, causal = q.shape[2], k.shape[2], self.knobs.get("causal", "none")
        plain = bias is None and mask is None and (causal != "lower_right" or sq == skv)
        added = None
        if not plain:
            shown = torch.arange(skv) < torch.tensor([self.visible(i) for i in range(sq)])[:, None]
            shown = shown & mask if mask is not None else shown
            added = torch.where(shown, torch.zeros((), dtype=q.dtype) if bias is None else bias, -torch.inf)
        options = dict(attn_mask=added, is_causal=plain and causal != "none", scale=self.knobs.get("scale"),
                       enable_gqa=q.shape[1] != k.shape[1])
        return lambda: F.scaled_dot_product_attention(q, k, v, **options)


class Linear(Operation):
    """A linear layer whose weight and bias are constants of the model, the same for all contestants. The speed of a
    single row is limited by memory: `moved` returns 0 unless there is a single row, and `flops` returns 0 if there is
    one."""
    kind = "linear"
    MODEL = """module attributes {{heddle.weight_files = ["weights.safetensors"]}} {{
  func.func @main(%x: tensor<{m}x{k}xf32> {{heddle.name = "input"}}) -> (tensor<{m}x{n}xf32> {{heddle.name = "out"}}) {{
    %w = heddle.weight "weight" : tensor<{k}x{n}xf32>
    {bias}%0 = heddle.linear %x, %w{operand}{activation} : (tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>{type}) -> tensor<{m}x{n}xf32>
    return %0 : tensor<{m}x{n}xf32>
  }}
}}
"""
    ACTIVATIONS = {"none": lambda x: x, "relu": F.relu, "gelu": F.gelu, "silu": F.silu, "tanh": torch.tanh,
                   "gelu_tanh": functools.partial(F.gelu, approximate="tanh")}

    def __init__(self, cache, **knobs):
        super().__init__(cache, **knobs)
        self.has_bias, self.activation = knobs.get("bias", 1), knobs.get("activation", "none")

    def shapes(self):
        m, n, k = self.knobs["m"], self.knobs["n"], self.knobs["k"]
        return {"input": (m, k), "weight": (k, n)} | ({"bias": (n,)} if self.has_bias else {})

    def flops(self):
        return 2 * self.knobs["m"] * self.knobs["n"] * self.knobs["k"] if self.knobs["m"] > 1 else 0

    def moved(self):
        return 4 * self.knobs["n"] * self.knobs["k"] if self.knobs["m"] == 1 else 0

    def value(self, name, normal):
        return normal if name == "input" else normal * self.knobs["k"] ** -0.5

    def activated(self, linear):
        """Returns `linear` followed by the activation, if there is one."""
        activation = self.ACTIVATIONS[self.activation]
        return linear if self.activation == "none" else lambda: activation(linear())

    def layer(self):
        """Returns the input, the weight in torch's layout, and the bias or None."""
        bias = self.tensor("bias") if self.has_bias else None
        return self.tensor("input"), self.tensor("weight").t().contiguous(), bias

    def function(self, input, weight, bias=None):
        weight = weight.t().contiguous()
        return self.activated(lambda: F.linear(input, weight, bias))

    def build(self):
        from safetensors.numpy import save_file
        inputs, expected = super().build()
        save_file({name: inputs[name] for name in inputs if name != "input"}, self.folder / "weights.safetensors")
        sizes, type = {name: self.knobs[name] for name in "mnk"}, f"tensor<{self.knobs['n']}xf32>"
        words = {"activation": f" activation({self.activation})" if self.activation != "none" else "",
                 "bias": "", "operand": "", "type": ""}
        if self.has_bias:
            words |= {"bias": f'%b = heddle.weight "bias" : {type}\n    ', "operand": " bias(%b)", "type": ", " + type}
        (self.folder / "linear.mlir").write_text(self.MODEL.format(**sizes, **words))
        return inputs, expected

    def heddle_arguments(self):
        return [str(self.folder / "linear.mlir")]


class RoundedLinear(Linear):
    """A linear layer in a low precision."""

    def __init__(self, cache, precision, **knobs):
        super().__init__(cache, **knobs)
        self.precision, self.roof, self.least_cosine = precision, precision, 0.5
        self.folder = self.folder.with_name(f"{self.name}-{precision}")
        self.onnx = self.folder / "linear.onnx"

    def build(self):
        inputs, expected = super().build()
        self.write_onnx(inputs)
        return inputs, expected

    def write_onnx(self, inputs):
        """Writes the layer without its activation as an ONNX file, whose constants are the weight and the bias."""
        import onnx
        from onnx import helper, numpy_helper
        m, n, k = (self.knobs[name] for name in "mnk")
        nodes = [helper.make_node("MatMul", ["input", "weight"], ["product"]),
                 helper.make_node("Add", ["product", "bias"], ["out"])]
        constants = [numpy_helper.from_array(inputs[name], name) for name in ("weight", "bias")]
        tensor = functools.partial(helper.make_tensor_value_info, elem_type=onnx.TensorProto.FLOAT)
        graph = helper.make_graph(nodes, "linear", [tensor("input", shape=(m, k))], [tensor("out", shape=(m, n))], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, str(self.onnx))

    def heddle_arguments(self):
        return super().heddle_arguments() + ["--precision", self.precision]


class Norm(Operation):
    """An operation whose speed is limited by memory: each element is read once and written once."""

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
