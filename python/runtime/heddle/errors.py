"""Exceptions. Their messages say what was expected and what was found."""
from __future__ import annotations

from typing import Optional


class Error(Exception):
    """The base of all exceptions that heddle raises itself."""


class LoadError(Error):
    """A library cannot be loaded, for example because its file is missing, truncated or not a library of heddle,
    because it has no code that runs here, or because its device cannot be opened."""


class ArgumentError(Error, ValueError):
    """An argument is invalid, for example because its name, type, shape, byte order or memory does not match the
    model."""


class ClosedError(Error):
    """The model was closed."""


class CallError(Error):
    """A call failed.

    status: the number of the call's status in `enum heddle_status` of <heddle/abi.h>; None if an output could not be
      allocated.
    """

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


class IndexRangeError(CallError, IndexError):
    """An index, given or computed in the model, is out of range."""


class CompileError(Error):
    """A model cannot be compiled, for example because the compiler rejects it, because there is no compiler, or because
    the cache cannot be written. `text` is the compiler's output, or the message if there is none."""

    def __init__(self, message: str, text: str = ""):
        super().__init__(message)
        self.text = text or message
