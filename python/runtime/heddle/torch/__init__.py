"""torch's modules, compiled: `heddle.compile(module, example_inputs)`, and torch.compile(module, backend="heddle").

torch finds the backend by itself where the wheel is installed; where heddle comes from its sources, importing this package
registers it. Needs torch, and onnxscript, with which torch's exporter writes ONNX.
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
    if "heddle" not in registry._BACKENDS:  # else torch has found the entry point, and registers what it names
        registry.register_backend(compiler_fn=backend, name="heddle")


_register()
