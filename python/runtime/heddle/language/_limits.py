"""The sizes of compiled decoders."""
from __future__ import annotations

from typing import Dict, Tuple

from ..errors import ArgumentError
from ..model import Model
from ..state import State

_INPUTS = ("input_ids", "past", "last", "state")


def limits_of(model: Model) -> Dict[str, Tuple[int, int]]:
    """Returns the range (low, high) of each size, by the names that `heddle compile --decoder` gives them. Raises
    ArgumentError if the library was not compiled with --decoder, or if sequence_length cannot be 1."""
    inputs = {tensor.name: tensor for tensor in model.inputs}
    if not set(_INPUTS) <= set(inputs) or "next_token" not in {tensor.name for tensor in model.outputs}:
        raise ArgumentError(f"{model.name}: expected a library that was compiled with --decoder, which has "
                            f"{', '.join(_INPUTS)} and next_token")
    limits = {size.name: (size.low, size.high) for size in model.sizes}
    for name, extent in zip(("batch_size", "sequence_length"), inputs["input_ids"].shape):
        if isinstance(extent, int):
            limits[name] = (extent, extent)
    if "capacity" not in limits:
        rows = State(model, **{size.name: size.low for size in model.sizes if size.name == "batch_size"})._capacity
        limits["capacity"] = (rows, rows)
    if limits["sequence_length"][0] > 1:
        raise ArgumentError(f"{model.name}: expected a sequence_length whose range begins at 1, since tokens are "
                            f"generated one by one, found a range that begins at "
                            f"{limits['sequence_length'][0]}")
    return limits
