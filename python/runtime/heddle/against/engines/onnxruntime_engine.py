"""ONNX Runtime, on .onnx files. It has no f64 of a model of f32."""
from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Sequence

import numpy as np
import onnxruntime

from ..judge import Expected
from . import Refused

TOLERANCE = 1e-4
_TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16", "tensor(int64)": "int64",
          "tensor(int32)": "int32", "tensor(int8)": "int8", "tensor(bool)": "bool"}


def open(model: str, outputs: Sequence[str]) -> Callable[[Mapping[str, Any], Mapping[str, int]], Dict[str, Expected]]:
    if not model.endswith(".onnx"):
        raise Refused("--engine onnxruntime: takes .onnx files")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # What its optimizer does is not what the file says.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    taken = {value.name: value.type for value in session.get_inputs()}
    names = [value.name for value in session.get_outputs() if value.name in outputs]

    def run(inputs: Mapping[str, Any], sizes: Mapping[str, int]) -> Dict[str, Expected]:
        passed = {}
        for name, kind in taken.items():
            if kind not in _TYPES:
                raise Refused(f"--engine onnxruntime: input {name!r} is a {kind}, which numpy does not have")
            passed[name] = np.asarray(inputs[name], _TYPES[kind])
        return {name: Expected(value) for name, value in zip(names, session.run(names, passed))}

    return run
