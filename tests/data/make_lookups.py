"""Writes tests/data/lookups/last-token/model.onnx. The model looks up the last token of each sentence, an embedding of
the length of the sentence, and a feature of each token. It computes the indices from its inputs, so they may be out of
range.

    python3 tests/data/make_lookups.py tests/data/lookups

Needs onnx and numpy.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, LENGTHS = 8, 20
BATCH, POSITIONS = "batch_size", "sequence_length"

constants, nodes = [], []


def constant(value, dtype=np.int64):
    constants.append(numpy_helper.from_array(np.array(value, dtype), f"c{len(constants)}"))
    return constants[-1].name


def node(operator, *inputs, name=None, **attributes):
    output = name or f"v{len(nodes)}"
    nodes.append(helper.make_node(operator, inputs, [output], **attributes))
    return output


# hidden[arange(batch_size), attention_mask.sum(1) - 1]: in a sentence without a token, the index is -1, which means the
# last position.
last = node("Sub", node("ReduceSum", "attention_mask", constant([1]), keepdims=0), constant(1))
batch = node("Gather", node("Shape", "hidden"), constant(0), axis=0)
entries = node("Range", constant(0), batch, constant(1))
places = node("Concat", *(node("Unsqueeze", part, constant([1])) for part in (entries, last)), axis=1)
node("GatherND", "hidden", places, name="last_token")
table = constant(np.random.default_rng(0).standard_normal((LENGTHS, WIDTH)), np.float32)
node("Gather", table, last, axis=0, name="length_embedding")
# One feature of each token. Its index is computed from the length of the sentence and the mask.
features = node("Sub", "attention_mask", node("Unsqueeze", last, constant([1])))
features = node("Unsqueeze", node("Max", features, constant(-WIDTH)), constant([2]))
node("GatherElements", "hidden", features, axis=2, name="features")

inputs = [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, (BATCH, POSITIONS, WIDTH)),
          helper.make_tensor_value_info("attention_mask", TensorProto.INT64, (BATCH, POSITIONS))]
outputs = [helper.make_tensor_value_info("last_token", TensorProto.FLOAT, (BATCH, WIDTH)),
           helper.make_tensor_value_info("length_embedding", TensorProto.FLOAT, (BATCH, WIDTH)),
           helper.make_tensor_value_info("features", TensorProto.FLOAT, (BATCH, POSITIONS, 1))]
graph = helper.make_graph(nodes, "last-token", inputs, outputs, constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
folder = pathlib.Path(sys.argv[1]) / "last-token"
folder.mkdir(parents=True, exist_ok=True)
onnx.save(model, folder / "model.onnx")
