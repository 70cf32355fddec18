"""Checks names and paths from callers before they are passed to C or to the compiler, which both end texts at a NUL."""
from __future__ import annotations

import os
from typing import Any, List, Optional

from .errors import ArgumentError


def text(value: Any, what: str) -> str:
    """Returns `value` if it can be passed to a program as text. `what` names the value in the ArgumentError."""
    if not isinstance(value, str):
        raise ArgumentError(f"{what}: expected text, found {type(value).__name__}")
    if "\0" in value:
        raise ArgumentError(f"{what}: a NUL character is in {value[:60]!r}")
    try:
        os.fsencode(value)
    except UnicodeEncodeError as reason:
        raise ArgumentError(f"{what}: contains {value[reason.start:reason.end]!r}, half of a surrogate pair") from None
    return value


def optional(value: Any, what: str) -> Optional[str]:
    """Like `text`, but returns None for None."""
    return None if value is None else text(value, what)


def path(value: Any, what: str) -> str:
    """Returns a path, which may be text, bytes or an os.PathLike, as text."""
    try:
        found = os.fspath(value)
    except TypeError:
        raise ArgumentError(f"{what}: expected a path, found {type(value).__name__}") from None
    return text(os.fsdecode(found), what)


def several(value: Any, what: str) -> List[str]:
    """Returns the texts as a list, which is empty for None and has one element for a single text."""
    if value is None or isinstance(value, str):
        value = [] if value is None else [value]
    try:
        found = [text(entry, what) for entry in value]
    except TypeError:
        raise ArgumentError(f"{what}: expected text or a list of texts, found {type(value).__name__}") from None
    if "" in found:
        raise ArgumentError(f"{what}: a text is empty")
    return found
