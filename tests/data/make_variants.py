"""Writes tests/data/variants: small models with layers that are decomposed as exporters do it, and models that resemble
a layer but are not equivalent to it.

    python3 tests/data/make_variants.py tests/data/variants

Needs onnx, numpy and safetensors. Every model comes with inputs. The models in VERIFIED also come with results, which
onnx's reference evaluator computes in f64. The name of a model says which layers recognition should find: one
attention, norm or ffn layer (two in attention-guarded-layers), or, for near-miss-*, none.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import save_file

VERIFIED = """attention-grouped attention-guarded attention-guarded-added attention-guarded-layers
attention-causal-added attention-unguarded attention-packed ffn-gated ffn-gelu-tanh
ffn-silu norm-rms near-miss-softmax-axis near-miss-transposed-pair near-miss-keys-not-transposed
near-miss-epsilon-outside near-miss-unbiased near-miss-quick-gelu attention-regions""".split()

random = np.random.default_rng(0)
TYPES = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int64"): TensorProto.INT64,
         np.dtype("bool"): TensorProto.BOOL, np.dtype("float64"): TensorProto.DOUBLE}


class Graph:
    def __init__(self, name):
        self.name, self.nodes, self.constants, self.inputs, self.outputs = name, [], {}, {}, []

    def input(self, name, *shape, data=None):
        self.inputs[name] = random.standard_normal(shape).astype(np.float32) if data is None else data
        return name

    def constant(self, value, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value, dtype)
        return name

    def sizes(self, *values):
        return self.constant(values, np.int64)

    def weight(self, *shape):
        return self.constant(random.standard_normal(shape) / np.sqrt(shape[0]))

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def output(self, *names):
        self.outputs += names

    def model(self, floats):
        def cast(array):
            return array.astype(floats) if array.dtype == np.float32 else array

        names = [f"out{i}" for i in range(len(self.outputs))]
        nodes = self.nodes + [helper.make_node("Identity", [o], [n]) for o, n in zip(self.outputs, names)]
        inputs = [helper.make_tensor_value_info(n, TYPES[cast(a).dtype], a.shape) for n, a in self.inputs.items()]
        outputs = [helper.make_tensor_value_info(n, TYPES[np.dtype(floats)], None) for n in names]
        constants = [numpy_helper.from_array(cast(a), n) for n, a in self.constants.items()]
        graph = helper.make_graph(nodes, self.name, inputs, outputs, constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model), {n: cast(a) for n, a in self.inputs.items()}

    def save(self):
        folder = pathlib.Path(sys.argv[1]) / self.name
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(self.model(np.float32)[0], folder / "model.onnx")
        save_file({n: np.ascontiguousarray(a) for n, a in self.inputs.items()}, folder / "inputs.safetensors")
        if self.name in VERIFIED:
            model, inputs = self.model(np.float64)
            results = ReferenceEvaluator(model).run(None, inputs)
            assert all(r.dtype == np.float64 for r in results)
            save_file({f"out{i}": np.ascontiguousarray(r, np.float32) for i, r in enumerate(results)},
                      folder / "expected.safetensors")


def chosen(g, batch, queries, keys):
    """Adds a boolean mask as torch's exporters write it. It removes all keys of one query."""
    values = random.random((batch, 1, queries, keys)) < 0.5
    values[0, 0, 0] = False
    return g.op("Where", g.input("mask", data=values), g.constant(0.0), g.constant(-np.inf))


def guard(g, p):
    return g.op("Where", g.op("IsNaN", p), g.constant(0.0), p)


def attention(name, batch=2, queries=6, keys=None, heads=3, size=5, axis=-1, transposed=(0, 1, 3, 2), scale="div",
              mask=None, guarded=False, merged=False, weights=False):
    g = Graph(name)
    keys = keys or queries
    lengths = {"q": queries, "k": keys, "v": keys}

    def split(n):
        x = g.input(n, batch, lengths[n], heads * size)
        x = g.op("Transpose", g.op("Reshape", x, g.sizes(batch, lengths[n], heads, size)), perm=(0, 2, 1, 3))
        return g.op("Reshape", x, g.sizes(batch * heads, lengths[n], size)) if merged else x

    q, k, v = split("q"), split("k"), split("v")
    root = g.constant(size**-0.25)
    k = g.op("Transpose", k, perm=(0, 2, 1) if merged else transposed)
    if scale == "both":
        q, k = g.op("Mul", q, root), g.op("Mul", k, root)
    s = g.op("MatMul", q, k)
    if scale == "div":
        s = g.op("Div", s, g.constant(size**0.5))
    if scale == "mul":
        s = g.op("Mul", g.constant(size**-0.5), s)
    if mask == "causal":
        s = g.op("Where", g.constant(np.tril(np.ones((queries, keys), bool)), bool), s, g.constant(-np.inf))
    if mask == "causal-added":
        s = g.op("Add", s, g.constant(np.where(np.tril(np.ones((queries, keys), bool)), 0, -np.inf)))
    if mask == "chosen":
        s = g.op("Add", s, chosen(g, batch, queries, keys))
    if mask == "added":
        values = np.where(random.random((batch, 1, queries, keys)) < 0.3, -np.inf, 0).astype(np.float32)
        s = g.op("Add", s, g.input("mask", data=values))
    if mask == "padding":
        padding = g.op("Unsqueeze", g.input("mask", data=random.random((batch, keys)) < 0.4), g.sizes(1, 2))
        s = g.op("Where", padding, g.constant(-1e9), s)
    if mask == "empty":
        values = random.random((batch, 1, queries, keys)) < 0.5
        values[0, 0, 0] = False
        s = g.op("Where", g.input("mask", data=values), s, g.constant(-np.inf))
    p = g.op("Softmax", s, axis=axis)
    if guarded:
        p = guard(g, p)
    o = g.op("MatMul", p, v)
    if merged:
        o = g.op("Reshape", o, g.sizes(batch, heads, queries, size))
    g.output(g.op("Reshape", g.op("Transpose", o, perm=(0, 2, 1, 3)), g.sizes(batch, queries, heads * size)))
    if weights:
        g.output(p)
    g.save()


attention("attention-plain")
attention("attention-cross", keys=9, scale="mul")
attention("attention-both-scaled", scale="both")
attention("attention-merged-batch", merged=True)
attention("attention-causal", mask="causal")
attention("attention-added-mask", mask="added")
attention("attention-padding", mask="padding", weights=True)
attention("attention-guarded", mask="empty", guarded=True)
attention("attention-unguarded", mask="empty")
attention("near-miss-softmax-axis", axis=-2)
attention("near-miss-softmax-heads", axis=1)
attention("near-miss-transposed-pair", queries=6, heads=6, size=6, transposed=(0, 2, 1, 3))
attention("near-miss-transposed-heads", queries=4, heads=4, size=4, transposed=(0, 3, 2, 1))
attention("near-miss-keys-not-transposed", queries=5, size=5, transposed=(0, 1, 2, 3))


def product_of_attention(g, q, k, v, divisor):
    s = g.op("Div", g.op("MatMul", q, g.op("Transpose", k, perm=(0, 1, 3, 2))), g.constant(divisor))
    return g.op("MatMul", g.op("Softmax", s, axis=-1), v)


def grouped():
    g, b, s, h, kv, d = Graph("attention-grouped"), 2, 5, 6, 2, 8

    def split(n, heads):
        x = g.op("Reshape", g.input(n, b, s, heads * d), g.sizes(b, s, heads, d))
        return g.op("Transpose", x, perm=(0, 2, 1, 3))

    def repeated(n):
        x = g.op("Expand", g.op("Unsqueeze", split(n, kv), g.sizes(2)), g.sizes(b, kv, h // kv, s, d))
        return g.op("Reshape", x, g.sizes(b, h, s, d))

    g.output(product_of_attention(g, split("q", h), repeated("k"), repeated("v"), d**0.5))
    g.save()


def packed():
    g, b, s, h, d = Graph("attention-packed"), 2, 5, 3, 4
    x = g.op("MatMul", g.input("x", b, s, h * d), g.weight(h * d, 3 * h * d))
    x = g.op("Reshape", g.op("Add", x, g.weight(3 * h * d)), g.sizes(b, s, 3, h, d))
    x = g.op("Transpose", x, perm=(2, 0, 3, 1, 4))
    q, k, v = (g.op("Gather", x, g.constant(i, np.int64), axis=0) for i in range(3))
    g.output(product_of_attention(g, q, k, v, 2.0))
    g.save()


def sequence_first():  # torch.nn.MultiheadAttention
    g, s, b, h, d = Graph("attention-sequence-first"), 5, 2, 3, 4
    x = g.input("x", s, b, h * d)

    def project():
        y = g.op("Add", g.op("MatMul", x, g.weight(h * d, h * d)), g.weight(h * d))
        return g.op("Transpose", g.op("Reshape", y, g.sizes(s, b * h, d)), perm=(1, 0, 2))

    q, k, v = project(), project(), project()
    scores = g.op("MatMul", g.op("Mul", q, g.constant(d**-0.5)), g.op("Transpose", k, perm=(0, 2, 1)))
    o = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=(1, 0, 2))
    o = g.op("Reshape", o, g.sizes(s * b, h * d))
    o = g.op("Gemm", o, g.weight(h * d, h * d), g.weight(h * d), transB=1)
    g.output(g.op("Reshape", o, g.sizes(s, b, h * d)))
    g.save()


grouped()
packed()
sequence_first()


def norm(name, outside=False, axis=-1, inverse=False, unbiased=False, rms=False, size=12):
    g = Graph(name)
    x = g.input("x", 3, 4, size)
    centred = x if rms else g.op("Sub", x, g.op("ReduceMean", x, axes=[axis]))
    squares = g.op("Mul", centred, centred) if inverse else g.op("Pow", centred, g.constant(2.0))
    variance = g.op("ReduceMean", squares, axes=[axis])
    if unbiased:
        variance = g.op("Mul", variance, g.constant(size / (size - 1)))
    epsilon = g.constant(1e-3)
    root = g.op("Add", g.op("Sqrt", variance), epsilon) if outside else g.op("Sqrt", g.op("Add", variance, epsilon))
    y = g.op("Mul", centred, g.op("Reciprocal", root)) if inverse else g.op("Div", centred, root)
    y = g.op("Mul", y, g.weight(size))
    g.output(y if rms else g.op("Add", y, g.weight(size)))
    g.save()


norm("norm-layer")
norm("norm-inverse", inverse=True)
norm("norm-rms", rms=True, inverse=True)
norm("near-miss-epsilon-outside", outside=True)
norm("near-miss-norm-axis", axis=1)
norm("near-miss-unbiased", unbiased=True)


def ffn(name, activation, gated=False):
    g = Graph(name)
    x = g.input("x", 7, 9)
    hidden = activation(g, g.op("Add", g.op("MatMul", x, g.weight(9, 13)), g.weight(13)))
    if gated:
        hidden = g.op("Mul", hidden, g.op("MatMul", x, g.weight(9, 13)))
    g.output(g.op("MatMul", hidden, g.weight(13, 9)))
    g.save()


def gelu(g, x):
    erf = g.op("Erf", g.op("Div", x, g.constant(2**0.5)))
    return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.constant(1.0))), g.constant(0.5))


def gelu_tanh(g, x):
    cubic = g.op("Mul", g.constant(0.044715), g.op("Pow", x, g.constant(3.0)))
    inner = g.op("Mul", g.constant((2 / np.pi) ** 0.5), g.op("Add", x, cubic))
    return g.op("Mul", g.op("Mul", g.constant(0.5), x), g.op("Add", g.constant(1.0), g.op("Tanh", inner)))


def silu(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


ffn("ffn-gelu", gelu)
ffn("ffn-gelu-tanh", gelu_tanh)
ffn("ffn-silu", silu)
ffn("ffn-relu", lambda g, x: g.op("Relu", x))
ffn("ffn-tanh", lambda g, x: g.op("Tanh", x))
ffn("ffn-gated", silu, gated=True)
ffn("near-miss-quick-gelu", lambda g, x: g.op("Mul", x, g.op("Sigmoid", g.op("Mul", x, g.constant(1.702)))))
ffn("near-miss-leaky-relu", lambda g, x: g.op("LeakyRelu", x, alpha=0.1))


# New models are added at the end, so that the random numbers of all other models do not change.
attention("attention-guarded-added", mask="chosen", guarded=True, weights=True)
attention("attention-causal-added", mask="causal-added")


def guarded_layers():  # a NaN from the first layer may become a number because the second layer replaces NaN
    g, b, s, h, d = Graph("attention-guarded-layers"), 2, 6, 2, 4
    x, mask = g.input("x", b, s, h * d), chosen(g, b, s, s)

    def project():
        y = g.op("Reshape", g.op("MatMul", x, g.weight(h * d, h * d)), g.sizes(b, s, h, d))
        return g.op("Transpose", y, perm=(0, 2, 1, 3))

    for _ in range(2):
        q, k, v = project(), project(), project()
        scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=(0, 1, 3, 2))), g.constant(d**-0.5))
        p = guard(g, g.op("Softmax", g.op("Add", scores, mask), axis=-1))
        x = g.op("Reshape", g.op("Transpose", g.op("MatMul", p, v), perm=(0, 2, 1, 3)), g.sizes(b, s, h * d))
    g.output(x)
    g.save()


guarded_layers()


def regions():  # a bias before the softcap, a mask of documents, and attention probabilities that are changed
    g, b, h, s, d = Graph("attention-regions"), 2, 3, 7, 4
    q, k, v = (g.input(n, b, h, s, d) for n in "qkv")
    documents = g.input("documents", data=random.integers(0, 3, (b, s)))
    scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=(0, 1, 3, 2))), g.constant(d**-0.5))
    distance = g.constant(np.arange(s)[None, :] - np.arange(s)[:, None])
    slopes = g.constant(np.array([0.5, 0.25, 0.125]).reshape(h, 1, 1))
    capped = g.op("Tanh", g.op("Div", g.op("Add", scores, g.op("Mul", slopes, distance)), g.constant(2.0)))
    same = g.op("Equal", g.op("Unsqueeze", documents, g.sizes(1, 3)), g.op("Unsqueeze", documents, g.sizes(1, 2)))
    scores = g.op("Where", same, g.op("Mul", capped, g.constant(2.0)), g.constant(-np.inf))
    p = g.op("Softmax", scores, axis=-1)
    g.output(g.op("MatMul", g.op("Mul", p, g.op("Sub", g.constant(2.0), p)), v))
    g.save()


regions()
