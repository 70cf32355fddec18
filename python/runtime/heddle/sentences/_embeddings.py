"""Post-processing of embeddings: truncation, normalization, quantization, similarity."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy as np

from .._types import Array
from ..errors import ArgumentError

PRECISIONS = ("float32", "int8", "uint8", "binary", "ubinary")


def normalize(embeddings: Any) -> Any:
    """Scales rows to length 1; rows of zeros are unchanged."""
    return embeddings / np.maximum(np.linalg.norm(embeddings, axis=-1, keepdims=True), 1e-12).astype(embeddings.dtype)


def quantize(embeddings: Any, precision: str, ranges: Optional[Any] = None) -> Any:
    """Converts float32 rows to another precision, as sentence-transformers defines it. int8 and uint8 have 256 levels
    from the smallest to the largest value of each column. `ranges` [2, columns] contains these two values; if it is
    None, they are those of the given rows. binary and ubinary pack eight columns into a byte: a bit is 1 if the value
    is positive."""
    if not isinstance(precision, str) or precision not in PRECISIONS:
        raise ArgumentError(f"precision: expected one of {', '.join(PRECISIONS)}, found {precision!r}")
    if precision == "float32":
        return embeddings
    if precision.endswith("binary"):
        bits = np.packbits(embeddings > 0, axis=-1)
        return bits if precision == "ubinary" else (bits.astype(np.int16) - 128).astype(np.int8)
    if not len(embeddings):
        return embeddings.astype(precision)
    if ranges is None:
        if len(embeddings) < 2:
            raise ArgumentError(f"precision: {precision} of one embedding needs `ranges`, the smallest and the largest "
                                "value of each column")
        ranges = np.vstack([embeddings.min(axis=0), embeddings.max(axis=0)])
    ranges = _rows(ranges, "ranges", f"[2, {embeddings.shape[1]}]")
    if ranges.shape != (2, embeddings.shape[1]):
        raise ArgumentError(f"ranges: expected [2, {embeddings.shape[1]}], the smallest and the largest value of each "
                            f"column, found {list(ranges.shape)}")
    low, high = ranges
    steps = (high - low) / 255
    levels = np.clip(np.floor((embeddings - low) / np.where(steps == 0, 1, steps)), 0, 255)
    return levels.astype(np.uint8) if precision == "uint8" else (levels - 128).astype(np.int8)


def _rows(value: Any, what: str = "embeddings", shape: str = "[embeddings, dimension]") -> Any:
    """Returns embeddings as a float32 matrix; a single embedding becomes one row. For errors, `what` is the name of the
    argument, and `shape` is the shape that it should have."""
    try:
        rows = np.asarray(value, np.float32)
    except Exception as reason:  # the library of `value` may raise any exception
        raise ArgumentError(f"{what}: {type(value).__name__} cannot be converted to an array: {reason}") from None
    if rows.ndim not in (1, 2):
        raise ArgumentError(f"{what}: expected {shape}, found {list(rows.shape)} in {type(value).__name__}")
    return rows[None] if rows.ndim == 1 else rows


def _distances(a: Any, b: Any, order: int) -> Any:
    """Returns the negative distances of each row of `a` from each row of `b`, in the norm of this order."""
    return -np.stack([np.linalg.norm(row - b, order, axis=-1) for row in a]) if len(a) else np.empty((0, len(b)), a.dtype)


# The similarity functions: of each row with each row, and of rows with the same index.
_ALL: Dict[str, Callable[[Any, Any], Any]] = {
    "cosine": lambda a, b: normalize(a) @ normalize(b).T,
    "dot": lambda a, b: a @ b.T,
    "euclidean": lambda a, b: _distances(a, b, 2),
    "manhattan": lambda a, b: _distances(a, b, 1),
}
_PAIRS: Dict[str, Callable[[Any, Any], Any]] = {
    "cosine": lambda a, b: np.sum(normalize(a) * normalize(b), axis=-1),
    "dot": lambda a, b: np.sum(a * b, axis=-1),
    "euclidean": lambda a, b: -np.linalg.norm(a - b, axis=-1),
    "manhattan": lambda a, b: -np.abs(a - b).sum(axis=-1),
}


def check_similarity(name: str) -> str:
    if not isinstance(name, str) or name not in _ALL:
        raise ArgumentError(f"similarity_fn_name: expected one of {', '.join(_ALL)}, found {name!r}")
    return name


def similarity(a: Any, b: Any, name: str, pairwise: bool = False) -> Array:
    """Returns the similarity of each row of `a` with each row of `b`, [len(a), len(b)]; if `pairwise`, of rows with the
    same index, [len(a)]."""
    functions, first, second = (_PAIRS if pairwise else _ALL), _rows(a), _rows(b)
    if first.shape[1] != second.shape[1] or (pairwise and len(first) != len(second)):
        raise ArgumentError(f"embeddings: the shapes {list(first.shape)} and {list(second.shape)} are incompatible")
    result: Array = functions[check_similarity(name)](first, second)
    return result
