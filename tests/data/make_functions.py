"""Writes two models with inputs and expected results: one with local functions, and one with inputs that have
initializers. numpy computes the results in f64.

    python3 tests/data/make_functions.py tests/data/onnx

Needs onnx 1.17 or later, which supports overloads of functions, and numpy.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import parser

MODELS = {
    # This model contains overloads, default values of attributes, attributes that two functions pass on, a missing
    # operand, an If in a function, and names of values that occur in several functions.
    "functions": """
        <ir_version: 10, opset_import: ["": 18, "local": 1]>
        network (float[batch_size, sequence_length, 8] x) => (float[batch_size, sequence_length, 8] y, float[] s)
        <float[8] g = {1, 2, 3, 4, 5, 6, 7, 8}> {
          t = local.block:narrow <steep: float = 0.25> (x, g)
          u = local.block:wide (t, g, x)
          y, s = local.chosen (u)
        }
        <domain: "local", overload: "narrow", opset_import: ["": 18, "local": 1]>
        block <steep>(x, u) => (y) {
          t = local.norm <eps: float = 0.5> (x, u)
          y = local.leaky <slope: float = @steep> (t)
        }
        <domain: "local", overload: "wide", opset_import: ["": 18, "local": 1]>
        block (x, u, t) => (y) {
          v = local.norm (x, u, u)
          w = local.leaky (v)
          y = Add (w, t)
        }
        <domain: "local", opset_import: ["": 18]>
        norm <eps: float = 0.001>(y, g, b) => (t) { t = LayerNormalization <epsilon: float = @eps> (y, g, b) }
        <domain: "local", opset_import: ["": 18]>
        leaky <slope: float = 2.0>(x) => (y) { y = LeakyRelu <alpha: float = @slope> (x) }
        <domain: "local", opset_import: ["": 18, "local": 1]>
        chosen (x) => (y, s) {
          yes = Constant <value: tensor = bool {1}> ()
          y = If (yes) <
            then_branch = g1 () => (float[batch_size, sequence_length, 8] t) { t = local.leaky <slope: float = 3.0> (x) },
            else_branch = g2 () => (float[batch_size, sequence_length, 8] u) { u = Neg (x) }>
          s = ReduceSum <keepdims: int = 0> (y)
        }
        """,
    "given-weights": """
        <ir_version: 8, opset_import: ["": 17]>
        network (float[rows, 4] x, float[4, 3] w, float[3] b) => (float[rows, 3] y)
        <float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[3] b = {1, 2, 3}> {
          p = MatMul (x, w)
          y = Add (p, b)
        }
        """,
}


def normalized(x, scale, bias, epsilon):
    """Computes LayerNormalization along the last axis."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(x.var(-1, keepdims=True) + epsilon) * scale + bias


def leaky(x, slope):
    return np.where(x < 0, slope * x, x)


def functions(x):
    """Computes the model `functions`. If a call omits an attribute, its value is the default of the function."""
    g = np.arange(1, 9)
    t = leaky(normalized(x, g, 0, 0.5), 0.25)
    y = leaky(leaky(normalized(t, g, g, 0.001), 2) + x, 3)
    return y, y.sum()


def given_weights(x):
    return (x @ np.arange(1, 13).reshape(4, 3) + np.arange(1, 4),)


# numpy computes the results, because the inliner of onnx 1.23.2 ignores the default values of a function's attributes,
# and ONNX Runtime 1.32.0 crashes when it loads the model.
RESULTS = {"functions": functions, "given-weights": given_weights}
SHAPES = {"functions": {"x": (2, 3, 8)}, "given-weights": {"x": (2, 4)}}

for name, text in MODELS.items():
    folder = pathlib.Path(sys.argv[1]) / name
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    model = parser.parse_model(text)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    rng = np.random.default_rng(0)
    inputs = {key: rng.standard_normal(shape).astype(np.float32) for key, shape in SHAPES[name].items()}
    for i, (key, array) in enumerate(inputs.items()):
        (data / f"input_{i}.pb").write_bytes(onnx.numpy_helper.from_array(array, key).SerializeToString())
    outputs = RESULTS[name](**{key: array.astype(np.float64) for key, array in inputs.items()})
    for i, (port, array) in enumerate(zip(model.graph.output, outputs)):
        (data / f"output_{i}.pb").write_bytes(onnx.numpy_helper.from_array(np.asarray(array, np.float32), port.name).SerializeToString())
