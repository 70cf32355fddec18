"""Makes random inputs from a model's description."""
from __future__ import annotations

from typing import Dict, Mapping

import numpy as np

from .. import _types
from .._types import Array
from ..description import Tensor
from ..model import Model


def make(model: Model, sizes: Mapping[str, int], numbers: np.random.Generator) -> Dict[str, Array]:
    """Returns random arrays for all inputs of the model, with the shapes for these sizes."""
    return {tensor.name: _fill(tensor, tensor.shape_at(sizes), numbers) for tensor in model.inputs}


def _fill(tensor: Tensor, shape: "tuple[int, ...]", numbers: np.random.Generator) -> Array:
    dtype = _types.MEMORY[tensor.dtype]
    # Padding is at the end of each sequence. If it were at the start, the first positions of a causal model could
    # attend only to padding, and engines compute different results for such positions.
    if "mask" in tensor.name and len(shape) == 2 and dtype.kind in "ib" and shape[1]:
        lengths = numbers.integers(1, shape[1], shape[0], endpoint=True)
        return (np.arange(shape[1]) < lengths[:, None]).astype(dtype)
    if tensor.low is not None and tensor.high is not None:
        return numbers.integers(tensor.low, tensor.high, shape, endpoint=True).astype(dtype)
    if dtype.kind in "ib":
        return numbers.integers(0, 1, shape, endpoint=True).astype(dtype)
    values = numbers.standard_normal(shape).astype(np.float32)
    return _types.to_bfloat16(values) if tensor.dtype == "bfloat16" else values.astype(dtype)
