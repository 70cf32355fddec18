"""Parses the sizes of a model's dynamic dimensions, as callers write them."""
from __future__ import annotations

import operator
import re
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _texts
from .errors import ArgumentError

# A number, "low..high", several parts such as "1,2..8", a range, or (low, high) with both ends included.
Dim = Union[int, str, range, Tuple[int, int]]


def ends(dims: Optional[Mapping[str, Dim]]) -> Dict[str, Tuple[int, int]]:
    """Returns the smallest and the largest size for each name."""
    if dims is None:
        return {}
    if not isinstance(dims, Mapping):
        raise ArgumentError(f"dims: expected sizes by name, as in {{'batch': range(1, 9)}}, found {type(dims).__name__}")
    return {_texts.text(name, "dims"): _ends(name, value) for name, value in dims.items()}


def words(dims: Optional[Mapping[str, Dim]]) -> List[str]:
    """Returns values of the option --dim of `heddle compile`: NAME=N for a number, NAME=LOW..HIGH for a range. For a
    text with several parts, the value is NAME= followed by this text."""
    def word(given: Dim, low: int, high: int) -> str:
        if isinstance(given, str) and "," in given:
            return given
        return f"{high}" if _is_number(given) else f"{low}..{high}"
    return [f"{name}={word((dims or {})[name], low, high)}" for name, (low, high) in ends(dims).items()]


def _is_number(value: Dim) -> bool:
    """Whether a valid size without classes is a single number rather than a range."""
    return ".." not in value if isinstance(value, str) else not isinstance(value, (range, tuple, list))


def _ends(name: str, value: Dim) -> Tuple[int, int]:
    found = _pair(value)
    if found is None or not 0 <= found[0] <= found[1]:
        raise ArgumentError(f"dims: {name!r} is {value!r}, expected a number, a range of step 1 that is not empty, (low, high) "
                            'or "low..high", or several such parts in ascending order without gaps, such as "1,2..8"')
    return found


def _pair(value: Any) -> Optional[Tuple[int, int]]:
    """Returns the smallest and the largest size; None if the value is invalid."""
    if isinstance(value, range):
        return (value.start, value.stop - 1) if value.step == 1 and value else None
    if isinstance(value, str):
        parts = [re.fullmatch(r"([0-9]{1,18})(?:\.\.([0-9]{1,18}))?", part) for part in value.split(",")]
        if not all(parts):
            return None
        pairs = [(int(part[1]), int(part[2] or part[1])) for part in parts if part]
        follow = all(high + 1 == low for (_, high), (low, _) in zip(pairs, pairs[1:]))
        return (pairs[0][0], pairs[-1][1]) if follow else None
    pair = value if isinstance(value, (tuple, list)) else (value, value)
    if len(pair) != 2 or any(isinstance(end, bool) for end in pair):
        return None
    try:
        return operator.index(pair[0]), operator.index(pair[1])
    except TypeError:
        return None
