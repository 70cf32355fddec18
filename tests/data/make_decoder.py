"""Writes tests/data/decoders/past-and-new/model.onnx: a decoder layer that concatenates past and new keys and values.
The name of the dimension of all keys is a sum, as exporters write it.

    python3 tests/data/make_decoder.py tests/data/decoders

Needs onnx and numpy.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HEADS, SIZE, VOCABULARY, POSITIONS = 2, 8, 20, 48
WIDTH = HEADS * SIZE
BATCH, NEW, PAST = "batch_size", "sequence_length", "past_sequence_length"
ALL = PAST + " + " + NEW

random = np.random.default_rng(0)
constants, nodes = [], []


def constant(name, value, dtype=np.int64):
    constants.append(numpy_helper.from_array(np.array(value, dtype), name))
    return name


def weight(name, *shape):
    return constant(name, random.standard_normal(shape) * 0.3, np.float32)


def node(operator, inputs, output, **attributes):
    nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
    return output


def linear(x, name, width, columns):
    product = node("MatMul", [x, weight(name + "_weight", width, columns)], name + "_product")
    return node("Add", [product, weight(name + "_bias", columns)], name)


def norm(x, name):
    return node("LayerNormalization", [x, weight(name + "_weight", WIDTH), weight(name + "_bias", WIDTH)], name)


def heads(x, name):
    split = node("Reshape", [x, "heads_shape"], name + "_split")
    return node("Transpose", [split], name + "_heads", perm=[0, 2, 1, 3])


def main(folder):
    constant("heads_shape", [0, 0, HEADS, SIZE])
    constant("rows_shape", [0, 0, WIDTH])
    tokens = node("Gather", [weight("tokens", VOCABULARY, WIDTH), "input_ids"], "token")
    positions = node("Gather", [weight("positions", POSITIONS, WIDTH), "position_ids"], "position")
    x = node("Add", [tokens, positions], "embedding")
    y = norm(x, "norm1")
    query, key, value = (heads(linear(y, name, WIDTH, WIDTH), name) for name in ("query", "key", "value"))
    keys = node("Concat", ["past_key", key], "present_key", axis=2)
    values = node("Concat", ["past_value", value], "present_value", axis=2)
    # Adds -1e4 to the scores of masked keys.
    mask = node("Unsqueeze", ["attention_mask", constant("mask_axes", [1, 2])], "mask_rows")
    flags = node("Cast", [mask], "flags", to=TensorProto.FLOAT)
    absent = node("Sub", [constant("one", 1, np.float32), flags], "absent")
    bias = node("Mul", [absent, constant("lowest", -1e4, np.float32)], "bias")
    scores = node("MatMul", [query, node("Transpose", [keys], "columns", perm=[0, 1, 3, 2])], "scores")
    scaled = node("Mul", [scores, constant("scale", SIZE ** -0.5, np.float32)], "scaled")
    weights = node("Softmax", [node("Add", [scaled, bias], "masked")], "weights", axis=-1)
    attended = node("Transpose", [node("MatMul", [weights, values], "attended_heads")], "attended", perm=[0, 2, 1, 3])
    x = node("Add", [x, linear(node("Reshape", [attended, "rows_shape"], "rows"), "output", WIDTH, WIDTH)], "residual1")
    hidden = node("Tanh", [linear(norm(x, "norm2"), "up", WIDTH, 2 * WIDTH)], "hidden")
    x = node("Add", [x, linear(hidden, "down", 2 * WIDTH, WIDTH)], "residual2")
    node("MatMul", [norm(x, "norm3"), weight("head", WIDTH, VOCABULARY)], "logits")

    port = helper.make_tensor_value_info
    cache = [BATCH, HEADS, PAST, SIZE], [BATCH, HEADS, ALL, SIZE]
    inputs = [port("input_ids", TensorProto.INT64, [BATCH, NEW]), port("position_ids", TensorProto.INT64, [BATCH, NEW]),
              port("attention_mask", TensorProto.INT64, [BATCH, ALL]),
              port("past_key", TensorProto.FLOAT, cache[0]), port("past_value", TensorProto.FLOAT, cache[0])]
    outputs = [port("logits", TensorProto.FLOAT, [BATCH, NEW, VOCABULARY]),
               port("present_key", TensorProto.FLOAT, cache[1]), port("present_value", TensorProto.FLOAT, cache[1])]
    graph = helper.make_graph(nodes, "decoder", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    (folder / "past-and-new").mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "past-and-new" / "model.onnx")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
