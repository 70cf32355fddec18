"""ONNX Runtime, for .onnx files. It cannot compute a model in f64 whose tensors are f32, so results are in f32 only."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence

import numpy as np
import onnxruntime

from ..comparison import Expected
from . import Base, Refused

_TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16", "tensor(int64)": "int64",
          "tensor(int32)": "int32", "tensor(int8)": "int8", "tensor(bool)": "bool"}


class Engine(Base):
    def __init__(self, model: str, outputs: Sequence[str]):
        if not model.endswith(".onnx"):
            raise Refused("--engine onnxruntime: supports only .onnx files")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # The basic optimizations fuse no layers, such as attention or norms. They are enabled because they remove
        # dropout, which would set random elements to zero if the file has dropout in training mode.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._taken = {value.name: value.type for value in self._session.get_inputs()}
        self._names = [value.name for value in self._session.get_outputs() if value.name in outputs]

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Expected]:
        passed = {}
        for name, kind in self._taken.items():
            if kind not in _TYPES:
                raise Refused(f"--engine onnxruntime: input {name!r} has the type {kind}, which numpy does not support")
            passed[name] = np.asarray(inputs[name], _TYPES[kind])
        return {name: Expected(value) for name, value in zip(self._names, self._session.run(self._names, passed))}
