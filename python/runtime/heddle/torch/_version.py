"""Which torch this was tried with. Some of what is used of it is private to torch, and may go with any version."""
from __future__ import annotations

import contextlib
import importlib
from typing import Any, Iterator

import torch

from ..errors import CompileError, Error

TRIED = "2.15"
_PRIVATE = (
    "_dynamo.backends.registry._BACKENDS", "_ops.OpOverload", "export.export", "onnx.export", "utils._pytree.keystr",
    "utils._pytree.tree_flatten_with_path", "utils._pytree.treespec_pprint")


def check() -> None:
    """Raises ImportError where this torch lacks what is used of it."""
    try:
        for name in ("_dynamo.backends.registry", "export", "onnx", "utils._pytree"):
            importlib.import_module(f"torch.{name}")
    except ImportError as reason:
        raise ImportError(f"heddle.torch does not go with torch {torch.__version__}: {reason}{note()}", name="torch") from None
    for name in _PRIVATE:
        found: Any = torch
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None:
            raise ImportError(f"heddle.torch does not go with torch {torch.__version__}, which has no torch.{name}{note()}",
                              name="torch")


def note() -> str:
    """The end of a sentence about what failed, where this is another torch than the one that was tried."""
    if torch.__version__.split("+")[0].startswith(f"{TRIED}."):
        return ""
    return f" (heddle.torch was tried with torch {TRIED} alone, and this is {torch.__version__})"


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """What fails in an unforeseen way is a CompileError that tells of the version, where that is another."""
    try:
        yield
    except Error:
        raise
    except Exception as reason:
        if not note():
            raise
        raise CompileError(f"{type(reason).__name__}: {reason}{note()}") from reason
