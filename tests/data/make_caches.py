#!/usr/bin/env python3
"""make_caches.py: writes the models in tests/data/caches, which write rows of keys and values at run-time positions.

append.onnx contains TensorScatter and an Attention node that attends to the filled rows; positions.onnx contains
ScatterND between transposes, as torch exports index_put; elements.onnx contains ScatterElements at positions that the
model computes. prefix.onnx does not write to a cache: it looks up `past` rows of a table (0 or more), and concatenates
them with an input."""
import pathlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

FOLDER = pathlib.Path(__file__).parent / "caches"
TYPES = {"f": TensorProto.FLOAT, "i": TensorProto.INT64}


def write(name, nodes, inputs, outputs, constants=(), opset=24):
    ports = [helper.make_tensor_value_info(port, TYPES[kind], shape) for port, (kind, shape) in inputs.items()]
    shown = [helper.make_tensor_value_info(port, TensorProto.FLOAT, None) for port in outputs]
    stored = [numpy_helper.from_array(np.array(value), constant) for constant, value in constants]
    graph = helper.make_graph(nodes, name, ports, shown, stored)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10), FOLDER / f"{name}.onnx")


def main():
    FOLDER.mkdir(exist_ok=True)
    node = helper.make_node
    rows = {"query": ("f", ["batch", 4, "new", 8]), "new_key": ("f", ["batch", 2, "new", 8]),
            "new_value": ("f", ["batch", 2, "new", 8]), "key": ("f", ["batch", 2, "capacity", 8]),
            "value": ("f", ["batch", 2, "capacity", 8]), "at": ("i", ["batch"])}
    write("append", [
        node("TensorScatter", ["key", "new_key", "at"], ["present_key"], "write_key"),
        node("TensorScatter", ["value", "new_value", "at"], ["present_value"], "write_value"),
        node("Shape", ["new_key"], ["shape"], "shape"),
        node("Gather", ["shape", "two"], ["count"], "count"),
        node("Add", ["at", "count"], ["filled"], "filled"),
        node("Attention", ["query", "present_key", "present_value", "", "", "", "filled"], ["y"], "attend", is_causal=1),
    ], rows, ["y", "present_key", "present_value"], [("two", 2)])

    cache = {"cache": ("f", ["batch", 2, 6, 8]), "new": ("f", ["batch", 2, "new", 8])}
    write("positions", [
        node("Transpose", ["cache"], ["rows"], "rows", perm=[2, 0, 1, 3]),
        node("Transpose", ["new"], ["updates"], "updates", perm=[2, 0, 1, 3]),
        node("Unsqueeze", ["at", "last"], ["tuples"], "tuples"),
        node("ScatterND", ["rows", "tuples", "updates"], ["written"], "write"),
        node("Transpose", ["written"], ["present"], "present", perm=[1, 2, 0, 3]),
        node("Relu", ["present"], ["y"], "y"),
    ], {**cache, "at": ("i", ["new"])}, ["y", "present"], [("last", [-1])], opset=18)

    write("elements", [
        node("Add", ["at", "at"], ["twice"], "twice"),
        node("Unsqueeze", ["twice", "others"], ["column"], "column"),
        node("Shape", ["new"], ["shape"], "shape"),
        node("Expand", ["column", "shape"], ["indices"], "indices"),
        node("ScatterElements", ["cache", "indices", "new"], ["present"], "write", axis=2),
    ], {**cache, "at": ("i", ["new"])}, ["present"], [("others", [0, 1, 3])], opset=18)

    write("prefix", [
        node("Gather", ["table", "ids"], ["rows"], "look_up"),
        node("Concat", ["rows", "x"], ["y"], "append", axis=0),
    ], {"ids": ("i", ["past"]), "x": ("f", [2, 4])}, ["y"], [("table", np.arange(20, dtype=np.float32).reshape(5, 4))],
          opset=18)


if __name__ == "__main__":
    main()
