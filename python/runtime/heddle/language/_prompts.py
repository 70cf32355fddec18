"""Checks the tokens that callers pass."""
from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

import numpy as np

from ..errors import ArgumentError

Tokens = List[int]


def listed(given: Any, vocabulary: int) -> Tuple[List[Tokens], bool]:
    """Returns the prompts as lists of token ids, and whether a single prompt was given instead of a list of prompts.
    Ids must be less than `vocabulary`."""
    if isinstance(given, (str, bytes, Mapping)):
        raise ArgumentError(f"prompts: expected token ids, found {type(given).__name__}: "
                            "a tokenizer converts text to ids")
    try:
        entries = list(given)
    except TypeError:
        raise ArgumentError(f"prompts: expected token ids, found {type(given).__name__}") from None
    single = bool(entries) and all(_is_number(entry) for entry in entries)
    if single:
        return [_checked(entries, "prompt", vocabulary)], True
    return [_checked(entry, f"prompts[{i}]", vocabulary) for i, entry in enumerate(entries)], False


def _is_number(value: Any) -> bool:
    return np.ndim(value) == 0 and not isinstance(value, (str, bytes, Mapping))


def _checked(given: Any, what: str, vocabulary: int) -> Tokens:
    """Returns one prompt as a list of token ids. `what` names the prompt in errors."""
    if isinstance(given, (str, bytes, Mapping)):
        raise ArgumentError(f"{what}: expected token ids, found {type(given).__name__}: "
                            "a tokenizer converts text to ids")
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected a list of token ids") from None
    if array.ndim != 1:
        raise ArgumentError(f"{what}: expected a list of token ids, found {array.ndim} dimensions")
    if array.size == 0:
        raise ArgumentError(f"{what}: it is empty")
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"{what}: expected whole numbers, found {array.dtype}")
    wrong = np.flatnonzero((array < 0) | (array >= vocabulary))
    if wrong.size:
        raise ArgumentError(f"{what}: token {wrong[0]} is {array[wrong[0]]}, outside 0..{vocabulary - 1}")
    return [int(token) for token in array]


def stops(given: Any, fallback: Tokens) -> Tokens:
    """Returns the tokens that end a sequence: those of the argument `stop`, or `fallback` if it is None."""
    if given is None:
        return fallback
    tokens = [given] if _is_number(given) else list(given)
    for token in tokens:
        if not isinstance(token, (int, np.integer)) or isinstance(token, bool):
            raise ArgumentError(f"stop: expected token ids, found {token!r}")
    return [int(token) for token in tokens]


def positive(number: Any, what: str, expected: Optional[str] = None) -> int:
    """Returns `number` if it is a positive integer. `what` and `expected` are for the error message."""
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not whole or number < 1:
        raise ArgumentError(f"{what}: expected {expected or 'a positive number'}, found {number!r}")
    return int(number)
