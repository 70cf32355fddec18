"""Other engines, a file each. Each has

    TOLERANCE: relative to the largest result, where it has no f64
    open(model, dims, outputs) -> run; run(inputs, sizes) -> {output: Expected}

where `model` is what the user named, and `outputs` are names that Heddle has; one that the engine does not have is left out.
What an engine does not do is refused by Refused.
"""
from __future__ import annotations

import importlib
from typing import Any

NAMES = ("onnxruntime", "torch", "transformers")


class Refused(Exception):
    """The engine cannot run this model."""


def load(name: str) -> Any:
    try:
        return importlib.import_module(f"{__name__}.{name}_engine")
    except ImportError as reason:
        raise Refused(f"--engine {name}: {reason}") from None
