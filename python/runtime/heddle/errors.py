"""Exceptions. Their messages say what was expected and what was found."""
from __future__ import annotations

from typing import Optional


class Error(Exception):
    """The base of all exceptions that heddle raises itself."""


class LoadError(Error):
    """A file is not a library of heddle, is truncated, or has no code that runs here."""


class ArgumentError(Error, ValueError):
    """An argument of a call does not match the model: its name, type, shape, byte order or memory."""


class ClosedError(Error):
    """The model was closed."""


class CallError(Error):
    """A call ended with a status other than success.

    status: its number in `enum heddle_status` of <heddle/abi.h>.
    """

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


class IndexRangeError(CallError, IndexError):
    """An index, given or computed in the model, is out of range."""


class CompileError(Error):
    """The compiler rejected a model, or there is no compiler. `text` is the compiler's output."""

    def __init__(self, message: str, text: str = ""):
        super().__init__(message)
        self.text = text or message
