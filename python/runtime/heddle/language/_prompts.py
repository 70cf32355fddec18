"""Checks the prompts and tokens that callers pass."""
from __future__ import annotations

from typing import Any, Callable, List, Mapping, NamedTuple, Optional

import numpy as np

from ..errors import ArgumentError

Tokens = List[int]


class Prompts(NamedTuple):
    """sequences: the token ids of each prompt.
    is_single: whether the caller passed a single prompt instead of a list.
    is_text: whether the caller passed text, and wants text.
    """
    sequences: List[Tokens]
    is_single: bool
    is_text: bool


def listed(given: Any, vocabulary: int, encode: Callable[[str], Tokens]) -> Prompts:
    """Returns the prompts, which are token ids or texts.

    vocabulary: ids must be less than this number.
    encode: converts a text to token ids.
    """
    if isinstance(given, str):
        return Prompts([_checked(encode(given), "prompt", vocabulary)], True, True)
    if isinstance(given, (bytes, Mapping)):
        raise ArgumentError(f"prompts: expected text or token ids, found {type(given).__name__}")
    try:
        entries = list(given)
    except TypeError:
        raise ArgumentError(f"prompts: expected text or token ids, found {type(given).__name__}") from None
    texts = sum(isinstance(entry, str) for entry in entries)
    if texts and texts < len(entries):
        raise ArgumentError("prompts: expected either texts or token ids, found both")
    if texts:
        sequences = [_checked(encode(entry), f"prompts[{i}]", vocabulary) for i, entry in enumerate(entries)]
        return Prompts(sequences, False, True)
    if entries and all(_is_number(entry) for entry in entries):
        return Prompts([_checked(entries, "prompt", vocabulary)], True, False)
    return Prompts([_checked(entry, f"prompts[{i}]", vocabulary) for i, entry in enumerate(entries)], False, False)


def _is_number(value: Any) -> bool:
    try:
        return np.ndim(value) == 0 and not isinstance(value, (str, bytes, Mapping))
    except ValueError:  # lists of different lengths
        return False


def _checked(given: Any, what: str, vocabulary: int) -> Tokens:
    """Returns one prompt as a list of token ids. `what` names the prompt in errors."""
    if isinstance(given, (bytes, Mapping)):
        raise ArgumentError(f"{what}: expected text or token ids, found {type(given).__name__}")
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


class Stops(NamedTuple):
    """tokens: the tokens that end a sequence; None: those of the model. texts: the texts that end a sequence."""
    tokens: Optional[Tokens]
    texts: List[str]


def stops(given: Any) -> Stops:
    """Returns the tokens and texts of the argument `stop`. Texts alone are added to the tokens of the model."""
    if given is None:
        return Stops(None, [])
    if isinstance(given, (bytes, Mapping)):
        raise ArgumentError(f"stop: expected token ids or texts, found {type(given).__name__}")
    entries = [given] if isinstance(given, str) or _is_number(given) else list(given)
    texts = [entry for entry in entries if isinstance(entry, str)]
    if "" in texts:
        raise ArgumentError("stop: a text is empty")
    tokens = [entry for entry in entries if not isinstance(entry, str)]
    for token in tokens:
        if not isinstance(token, (int, np.integer)) or isinstance(token, bool):
            raise ArgumentError(f"stop: expected token ids or texts, found {token!r}")
    return Stops(None if texts and not tokens else [int(token) for token in tokens], texts)


def positive(number: Any, what: str, expected: Optional[str] = None) -> int:
    """Returns `number` if it is a positive integer. `what` and `expected` are for the error message."""
    return at_least(1, number, what, expected or "a positive number")


def at_least(least: int, number: Any, what: str, expected: str) -> int:
    """Returns `number` if it is an integer of at least `least`. `what` and `expected` are for the error message."""
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not whole or number < least:
        raise ArgumentError(f"{what}: expected {expected}, found {number!r}")
    return int(number)
