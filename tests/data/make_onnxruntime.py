"""Writes tests/data/onnxruntime: models with ONNX Runtime's operators and named dimensions. bert.onnx is an encoder
layer that ONNX Runtime's optimizer has rewritten. decoder.onnx contains GroupQueryAttention with a past; it computes
the lengths of sequences from a mask.

    python3 tests/data/make_onnxruntime.py tests/data/onnxruntime

Needs torch, transformers, onnx and onnxruntime. The files were written with torch 2.15, transformers 5.23, onnx 1.23.2
and onnxruntime 1.31.
"""
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import onnx
import torch
import transformers
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.transformers import optimizer

warnings.filterwarnings("ignore")
folder = pathlib.Path(sys.argv[1])


class Bert(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = transformers.BertModel(transformers.BertConfig(
            vocab_size=12, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=24,
            max_position_embeddings=40, attn_implementation="eager"), add_pooling_layer=False).eval()

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask, return_dict=False)[0]


torch.manual_seed(0)
ids = torch.tensor([[1, 4, 2, 7, 3], [5, 6, 2, 0, 0]])
names, sizes = ["input_ids", "attention_mask"], {0: "batch_size", 1: "sequence_length"}
with tempfile.TemporaryDirectory() as work:
    path = f"{work}/bert.onnx"
    torch.onnx.export(Bert(), (ids, (ids != 0).long()), path, opset_version=17, dynamo=False, input_names=names,
                      output_names=["y"], dynamic_axes={name: sizes for name in [*names, "y"]})
    onnx.save(optimizer.optimize_model(path, model_type="bert", num_heads=2, hidden_size=16, opt_level=0).model,
              folder / "bert.onnx")

PAST, NEW = "past_sequence_length", "sequence_length"
angles = (np.arange(64)[:, None] * np.logspace(0, -1, 4)).astype(np.float32)
constants = {"axis": np.array([1]), "one": np.array([1]), "keys": np.array(1), "cos": np.cos(angles), "sin": np.sin(angles)}
nodes = [
    helper.make_node("ReduceSum", ["attention_mask", "axis"], ["count"], keepdims=0),
    helper.make_node("Sub", ["count", "one"], ["last"]),
    helper.make_node("Cast", ["last"], ["seqlens_k"], to=TensorProto.INT32),
    helper.make_node("Shape", ["attention_mask"], ["shape"]),
    helper.make_node("Gather", ["shape", "keys"], ["all"]),
    helper.make_node("Cast", ["all"], ["total"], to=TensorProto.INT32),
    helper.make_node("GroupQueryAttention", ["q", "k", "v", "past_key", "past_value", "seqlens_k", "total", "cos", "sin"],
                     ["y", "present_key", "present_value"], domain="com.microsoft", num_heads=4, kv_num_heads=2, do_rotary=1),
]
shapes = {"q": [NEW, 32], "k": [NEW, 16], "v": [NEW, 16], "past_key": [2, PAST, 8], "past_value": [2, PAST, 8]}
inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch_size", *shape]) for name, shape in shapes.items()]
inputs.append(helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch_size", f"{PAST} + {NEW}"]))
outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("y", "present_key", "present_value")]
stored = [numpy_helper.from_array(value, name) for name, value in constants.items()]
onnx.save(helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, stored), ir_version=8, opset_imports=[
    helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]), folder / "decoder.onnx")
