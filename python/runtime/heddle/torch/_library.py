"""Compiles a function of tensors to a library, and calls the library."""
from __future__ import annotations

import dataclasses
import pathlib
import re
import tempfile
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch

from .. import _compile, _compiler
from ..errors import CompileError
from ..model import Model
from . import _export
from ._export import Input


@dataclasses.dataclass
class Library:
    """A compiled function of tensors, whose result is a list of leaves."""
    model: Optional[Model]  # None if no leaf of the result is a tensor
    outputs: List[Any]  # the source of each leaf, as in _export.Exported

    def __call__(self, tensors: Sequence[Any], as_torch: bool) -> List[Any]:
        """Returns the leaves of the result. Computed leaves are torch tensors if `as_torch`, otherwise numpy arrays."""
        results: List[Any] = []
        if self.model is not None:
            # Tensors that require a gradient do not export their memory; a detached tensor shares the memory.
            given = [t.detach() if isinstance(t, torch.Tensor) and t.requires_grad else t for t in tensors]
            results = [_as_torch(array, tensor.dtype) if as_torch else array
                       for array, tensor in zip(self.model(*given), self.model.outputs)]
        computed = iter(results)
        return [next(computed) if leaf is None else leaf[0] if len(leaf) == 1 else tensors[leaf[0]].shape[leaf[1]]
                for leaf in self.outputs]


def _as_torch(array: Any, dtype: str) -> torch.Tensor:
    found = torch.from_numpy(np.asarray(array))
    return found.to(torch.bfloat16) if dtype == "bfloat16" else found  # float32 represents each bfloat16 exactly


def make(function: Callable[..., Sequence[Any]], module: torch.nn.Module, inputs: Sequence[Input],
         ranges: Dict[str, Tuple[int, int]], name: str, options: Dict[str, Any]) -> Library:
    """Exports and compiles a function. options: the options of heddle.compile except `dims`."""
    program = _compiler.find()  # raises CompileError before torch exports the function
    with tempfile.TemporaryDirectory(prefix="heddle-torch-") as folder:
        path = pathlib.Path(folder) / f"{re.sub(r'[^A-Za-z0-9_]', '_', name)}.onnx"
        exported = _export.write(function, module, inputs, ranges, path)
        if None not in exported.outputs:
            return Library(None, exported.outputs)
        model = _compile.from_cache(program, str(path), dims=ranges, beside=True, **options)
    if len(model.inputs) != len(inputs):
        raise CompileError(f"{name}: the library has {len(model.inputs)} inputs, but the module has {len(inputs)}")
    return Library(model, exported.outputs)
