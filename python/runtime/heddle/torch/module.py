"""Implements heddle.compile for a torch.nn.Module."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional

import torch
import torch.utils._pytree as pytree

from .._dims import Dim
from ..errors import ArgumentError
from ..model import Model
from . import _library, _version
from ._inputs import Arguments, Shapes


class CompiledModule:
    """A compiled module. It is called like the module, with torch tensors or numpy arrays, which are read in place. A
    call returns a result with the structure of the module's result; tensors in the result are torch tensors if one of
    the arguments is a torch tensor, otherwise numpy arrays. A call computes no gradients. The parameters are those that
    the module had when it was compiled.

    A call raises ArgumentError and the other errors of `Model.run`.
    """

    def __init__(self, arguments: Arguments, library: _library.Library, spec: Any, name: str) -> None:
        self._arguments, self._library, self._spec, self._name = arguments, library, spec, name

    @property
    def model(self) -> Model:
        """The library, which describes inputs, outputs and sizes. Raises ArgumentError if no result is a tensor."""
        if self._library.model is None:
            raise ArgumentError(f"{self._name}: it has no library, because no result is a tensor")
        return self._library.model

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tensors = self._arguments.tensors(args, kwargs)
        as_torch = any(isinstance(tensor, torch.Tensor) for tensor in tensors)
        return pytree.tree_unflatten(self._library(tensors, as_torch), self._spec)

    def close(self) -> None:
        """Frees the library, see Model.close. If no result is a tensor, there is no library to free."""
        if self._library.model is not None:
            self._library.model.close()

    def __repr__(self) -> str:
        what = "no result is a tensor" if self._library.model is None else repr(self._library.model)
        return f"<heddle.torch.CompiledModule {self._name}: {what}>"


def compile_module(module: torch.nn.Module, example_inputs: Any, *, dynamic_shapes: Optional[Shapes] = None,
                   dims: Optional[Mapping[str, Dim]] = None, **options: Any) -> CompiledModule:
    """Compiles a module for inference. `heddle.compile` calls this function for torch modules.

    example_inputs: a tensor, a tuple of arguments, or a dict of named arguments. A tensor is an example of its type and
      shape, from which calls may differ only in dimensions in ranges; numbers, None and other values are fixed.
    dynamic_shapes: the dimensions that lie in ranges. For each argument's name (for a tensor inside a dict or a list:
      the argument's name and the keys or indices of the tensor, joined by underscores), a list with a name or None for
      each dimension, or {dimension: name}. Dimensions with the same name have the same size.
    dims: the ranges of these names.
    options: other options of heddle.compile; the library is written to the cache.

    Raises CompileError with torch's text if torch cannot export the module, with the compiler's text if the compiler
    rejects the model, and if a call would draw random numbers or write to an input or a buffer.
    """
    name = type(module).__name__
    specs: List[Any] = []

    def function(*tensors: torch.Tensor) -> List[Any]:
        leaves, spec = pytree.tree_flatten(arguments.call(module, tensors))
        specs[:] = [spec]
        return leaves

    identifier = re.sub(r"\W", "_", name, flags=re.ASCII)
    known: Dict[str, Any] = {"name": identifier, **{key: value for key, value in options.items() if value is not None}}
    with _version.explained():
        arguments = Arguments(module, example_inputs)
        inputs, ranges = arguments.inputs(dynamic_shapes, dims)
        library = _library.make(function, module, inputs, ranges, name, known)
    return CompiledModule(arguments, library, specs[0], name)
