"""torch, for quoted operations: in f64 and in f32, with torch's own functions."""
from __future__ import annotations

import math
import os
from typing import Any, Callable, Dict, List, Mapping, Sequence, Set, Tuple

import torch
import torch.nn.functional as F

from ..comparison import Expected
from . import Base, Refused

Tensors = Mapping[str, torch.Tensor]
Knobs = Mapping[str, str]
_ACTIVATIONS: Dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "none": lambda x: x, "relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu, "tanh": torch.tanh}


def _softmax(t: Tensors, knobs: Knobs) -> torch.Tensor:
    return torch.softmax(t["input"], int(knobs.get("axis", 1)))


def _layer_norm(t: Tensors, knobs: Knobs) -> torch.Tensor:
    x = t["input"]
    return F.layer_norm(x, x.shape[1:], t.get("scale"), t.get("bias"), float(knobs.get("epsilon", 1e-5)))


def _rms_norm(t: Tensors, knobs: Knobs) -> torch.Tensor:
    x = t["input"]
    return F.rms_norm(x, list(x.shape[1:]), t.get("scale"), float(knobs.get("epsilon", 1e-5)))


def _linear(t: Tensors, knobs: Knobs) -> torch.Tensor:
    product = t["input"] @ t["weight"]
    return _ACTIVATIONS[knobs.get("activation", "none")](product + t["bias"] if "bias" in t else product)


def _attention(t: Tensors, knobs: Knobs) -> torch.Tensor:
    q, k, v = t["q"], t["k"], t["v"]
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    queries, keys = q.shape[2], k.shape[2]
    scores = float(knobs.get("scale", 1 / math.sqrt(q.shape[3]))) * (q @ k.transpose(2, 3))
    if "softcap" in knobs:
        cap = float(knobs["softcap"])
        scores = cap * torch.tanh(scores / cap)
    causal = knobs.get("causal", "none")
    if causal != "none":
        offset = keys - queries if causal == "lower_right" else 0
        removed = torch.ones(queries, keys, dtype=torch.bool).triu(1 + offset)
        scores = scores.masked_fill(removed, -math.inf)
    weights = torch.softmax(scores, -1)
    # The result of a query that attends to no key is 0.
    return torch.where(torch.isneginf(scores).all(-1, keepdim=True), torch.zeros_like(weights), weights) @ v


# The knobs of quoted operations that determine only shapes and types.
_SIZES = {"rows", "m", "n", "k", "d", "b", "h", "hq", "hkv", "s", "sq", "skv", "dv", "type"}
# For each operation, the function that computes it, and the other knobs that the function implements.
_OPERATIONS: Dict[str, Tuple[Callable[[Tensors, Knobs], torch.Tensor], Set[str]]] = {
    "softmax": (_softmax, {"axis"}),
    "layer_norm": (_layer_norm, {"scale", "bias", "epsilon"}),
    "rms_norm": (_rms_norm, {"scale", "epsilon"}),
    "linear": (_linear, {"activation", "bias"}),
    "attention": (_attention, {"scale", "softcap", "causal"}),
}


class Engine(Base):
    def __init__(self, model: str, outputs: Sequence[str]):
        operation, *words = model.split()
        if os.path.exists(model) or operation not in _OPERATIONS:
            raise Refused(f"--engine torch: supports only the quoted operations {', '.join(_OPERATIONS)}")
        self._compute, known = _OPERATIONS[operation]
        self._knobs = dict(word.partition("=")[::2] for word in words)
        unknown = sorted(set(self._knobs) - _SIZES - known)
        if unknown:
            raise Refused(f"--engine torch: does not support {operation} with {unknown[0]}")

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Expected]:
        found: List[Any] = []
        for dtype in (torch.float64, torch.float32):
            tensors = {name: torch.from_numpy(value).to(dtype) for name, value in inputs.items()}
            found.append(self._compute(tensors, self._knobs).numpy())
        return {"out": Expected(*found)}
