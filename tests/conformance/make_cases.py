"""Writes cases.tar.xz, with the cases of ONNX's backend tests for the operators of transformers. Each case is a folder
with model.onnx and test_data_set_0.

    python3 tests/conformance/make_cases.py tests/conformance/cases.tar.xz

Needs onnx 1.23.2, which contains the cases, and numpy 2, which makes their random inputs from a seed.
"""
import importlib
import io
import random
import sys
import tarfile

import numpy as np
import onnx.backend.test.case.node as node
from onnx import TensorProto, numpy_helper

OPERATORS = ("attention flexattention gelu layernormalization linear_attention rmsnormalization rotaryembedding softmax "
             "swiglu").split()


def files():
    """Yields the path in the archive and the protobuf message of each file. Importing the module of an operator
    registers the operator's cases in _NodeTestCases."""
    for operator in OPERATORS:
        np.random.seed(0)
        random.seed(0)
        importlib.import_module("onnx.backend.test.case.node." + operator)
    for case in sorted(node._NodeTestCases, key=lambda case: case.name):
        yield f"{case.name}/model.onnx", case.model
        for number, (inputs, outputs) in enumerate(case.data_sets):
            graph = case.model.graph
            for kind, values, ports in (("input", inputs, graph.input), ("output", outputs, graph.output)):
                for i, (value, port) in enumerate(zip(values, ports, strict=True)):
                    tensor = value if isinstance(value, TensorProto) else numpy_helper.from_array(value, port.name)
                    yield f"{case.name}/test_data_set_{number}/{kind}_{i}.pb", tensor


with tarfile.open(sys.argv[1], "w:xz") as archive:
    for name, message in files():
        data = message.SerializeToString(deterministic=True)
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
