"""What goes wrong, as exceptions. Each has a sentence that names what was expected and what was found."""
from __future__ import annotations

from typing import Optional


class Error(Exception):
    """The base of all that heddle raises by itself."""


class LoadError(Error):
    """A file is no library of heddle's, is cut off, or has no code that runs here."""


class ArgumentError(Error, ValueError):
    """An argument of a call is not what the model takes: its name, type, shape, order or place."""


class ClosedError(Error):
    """The model was closed."""


class CallError(Error):
    """A call ended with a status that is not `done`.

    status: the number that `enum heddle_status` of <heddle/abi.h> gives it.
    """

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


class IndexRangeError(CallError, IndexError):
    """An index, given or computed in the model, is outside its range."""


class CompileError(Error):
    """The compiler refused a model, or there is no compiler. `text` is what the compiler said."""

    def __init__(self, message: str, text: str = ""):
        super().__init__(message)
        self.text = text or message
