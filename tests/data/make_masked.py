"""Writes tests/data/masked: models with an encoder layer and the mean of the rows where the mask is 1. The models mask
scores in different ways. The first sentence of the inputs has no token. If masked scores are -inf, all of its rows are
NaN, and its mean is NaN as well, because 0 x NaN is NaN.

    python3 tests/data/make_masked.py tests/data/masked

Needs onnx, numpy and safetensors.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

BATCH, POSITIONS, WIDTH, VOCABULARY = 2, 4, 8, 11
LOWEST = np.finfo(np.float32).min


class Encoder:
    def __init__(self, masked):
        self.random, self.nodes, self.constants = np.random.default_rng(0), [], []
        x = self.op("Gather", self.weight(VOCABULARY, WIDTH), "input_ids")
        q, k, v = (self.op("MatMul", x, self.weight(WIDTH, WIDTH)) for _ in range(3))
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=(0, 2, 1)))
        scores = self.op("Mul", scores, self.constant(WIDTH**-0.5))
        floats = self.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        kept = self.op("Cast", self.op("Unsqueeze", floats, self.sizes(1)), to=TensorProto.BOOL)
        weights = self.op("Softmax", masked(self, scores, kept), axis=-1)
        rows = self.op("Add", x, self.op("MatMul", self.op("MatMul", weights, v), self.weight(WIDTH, WIDTH)))
        rows = self.op("Mul", rows, self.op("Unsqueeze", floats, self.sizes(2)))
        count = self.op("ReduceSum", floats, self.sizes(1), keepdims=1)
        total = self.op("ReduceSum", rows, self.sizes(1), keepdims=0)
        self.mean = self.op("Div", total, self.op("Max", count, self.constant(1e-9)))

    def constant(self, value, dtype=np.float32):
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def sizes(self, *values):
        return self.constant(values, np.int64)

    def weight(self, *shape):
        return self.constant(self.random.standard_normal(shape) * WIDTH**-0.5)

    def op(self, kind, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def save(self, name):
        ids = {"input_ids": self.random.integers(0, VOCABULARY, (BATCH, POSITIONS)),
               "attention_mask": np.array([[0] * POSITIONS, [1] * (POSITIONS - 1) + [0]])}
        nodes = self.nodes + [helper.make_node("Identity", [self.mean], ["mean"])]
        inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, a.shape) for n, a in ids.items()]
        outputs = [helper.make_tensor_value_info("mean", TensorProto.FLOAT, (BATCH, WIDTH))]
        graph = helper.make_graph(nodes, name, inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        folder = pathlib.Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model, folder / "model.onnx")
        save_file({n: np.ascontiguousarray(a) for n, a in ids.items()}, folder / "inputs.safetensors")


def select(g, scores, kept):
    return g.op("Where", kept, scores, g.constant(-np.inf))


def logarithm(g, scores, kept):
    return g.op("Add", scores, g.op("Log", g.op("Cast", kept, to=TensorProto.FLOAT)))


def lowest(g, scores, kept):
    return g.op("Add", scores, g.op("Where", kept, g.constant(0), g.constant(LOWEST)))


def lowest_twice(g, scores, kept):
    bias = g.op("Where", kept, g.constant(0), g.constant(LOWEST))
    return g.op("Add", scores, g.op("Add", bias, bias))


Encoder(select).save("select")
Encoder(logarithm).save("logarithm")
Encoder(lowest).save("lowest")
Encoder(lowest_twice).save("lowest-twice")
