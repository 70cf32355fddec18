"""The version of torch with which this package was tested. Some of torch's names that the package uses are private and
may change."""
from __future__ import annotations

import contextlib
import importlib
from typing import Any, Iterator

import torch

from ..errors import CompileError, Error

TESTED = "2.15"
# Names in torch that the package needs and that other versions of torch might lack. Most of them are private.
_PRIVATE = (
    "_dynamo.backends.registry._BACKENDS", "_ops.OpOverload", "export.export", "onnx.export", "utils._pytree.keystr",
    "utils._pytree.tree_flatten_with_path", "utils._pytree.treespec_pprint")


def check() -> None:
    """Raises ImportError if this torch lacks a module that the package uses or a name in _PRIVATE."""
    try:
        for name in ("_dynamo.backends.registry", "export", "onnx", "utils._pytree"):
            importlib.import_module(f"torch.{name}")
    except ImportError as reason:
        raise ImportError(f"heddle.torch does not support torch {torch.__version__}: {reason}{note()}",
                          name="torch") from None
    for name in _PRIVATE:
        found: Any = torch
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None:
            raise ImportError(f"heddle.torch does not support torch {torch.__version__}, which has no "
                              f"torch.{name}{note()}", name="torch")


def note() -> str:
    """Returns the end of an error message if this version of torch is not the tested one, otherwise an empty text."""
    if torch.__version__.split("+")[0].startswith(f"{TESTED}."):
        return ""
    return f" (heddle.torch was tested only with torch {TESTED}, and this is {torch.__version__})"


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """If this version of torch is not the tested one, turns unexpected exceptions into CompileErrors that mention the
    version."""
    try:
        yield
    except Error:
        raise
    except Exception as reason:
        if not note():
            raise
        raise CompileError(f"{type(reason).__name__}: {reason}{note()}") from reason
