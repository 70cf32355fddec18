"""Checks texts and numbers that callers pass."""
from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence

import numpy as np

from ..errors import ArgumentError


def listed(given: Any, what: str, expected: str) -> List[Any]:
    """Returns texts or pairs from any iterable. A single text, whose elements would be characters, is an error, and so
    is a dict."""
    try:
        entries = None if isinstance(given, (str, bytes, Mapping)) else iter(given)
    except TypeError:
        entries = None
    if entries is None:
        raise ArgumentError(f"{what}: expected {expected}, found {type(given).__name__}")
    return list(entries)


def check_text(text: Any, what: str) -> None:
    if not isinstance(text, str):
        raise ArgumentError(f"{what}: expected text, found {type(text).__name__}")
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as reason:
        half = text[reason.start]
        raise ArgumentError(f"{what}: character {reason.start}, {half!r}, is half of a surrogate pair") from None


def check_texts(texts: Sequence[Any], what: str) -> None:
    for i, text in enumerate(texts):
        check_text(text, f"{what}[{i}]")


def check_positive(number: Any, what: str, most: Optional[int] = None) -> None:
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not whole or number < 1 or (most is not None and number > most):
        expected = "a positive number" if most is None else f"1 to {most}"
        raise ArgumentError(f"{what}: expected {expected}, found {number!r}")
