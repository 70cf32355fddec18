"""Compiled torch modules: `heddle.compile(module, example_inputs)`, and torch.compile(module, backend="heddle").

If the wheel is installed, torch finds the backend itself; if heddle runs from its sources, importing this package
registers the backend. This package needs torch and onnxscript, which torch's exporter uses to write ONNX.
"""
try:
    import torch as _torch
except ImportError as _reason:
    raise ImportError(f"heddle.torch needs the package torch, which cannot be imported: {_reason}", name="torch") from None

from . import _version

_version.check()

from .._dims import Dim  # noqa: E402
from .backend import FallbackWarning, backend  # noqa: E402
from .module import CompiledModule, compile_module  # noqa: E402

__all__ = ["CompiledModule", "Dim", "FallbackWarning", "backend", "compile_module"]


def _register() -> None:
    from torch._dynamo.backends import registry
    # If the backend is listed, torch has found the entry point of the wheel and registers the backend itself.
    if "heddle" not in registry._BACKENDS:
        registry.register_backend(compiler_fn=backend, name="heddle")


_register()
