"""Maps the arguments of a module's call to tensors by name, with named dimensions."""
from __future__ import annotations

import inspect
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import torch
import torch.utils._pytree as pytree

from .. import _dims
from .._dims import Dim
from ..errors import ArgumentError
from ._export import Input

Shapes = Mapping[str, Any]


class Arguments:
    """The arguments of a module, flattened to leaves: which of them are tensors, and which are constants.

    leaves: for each leaf of the arguments: None for a tensor, otherwise (the value,).
    names, examples: the names and the example values of the leaves.
    spec: the structure of the arguments, from which torch.utils._pytree restores them.
    """

    def __init__(self, module: torch.nn.Module, example: Any) -> None:
        self.signature = inspect.signature(module.forward)
        args, kwargs = (((), dict(example)) if isinstance(example, Mapping) else
                        (tuple(example), {}) if isinstance(example, (tuple, list)) else ((example,), {}))
        paths, self.spec = pytree.tree_flatten_with_path(self._bind(args, kwargs))
        self.names = [_name(path) for path, _ in paths]
        self.examples = [leaf for _, leaf in paths]
        self.leaves = [None if _is_tensor(leaf) else (leaf,) for _, leaf in paths]
        if None not in self.leaves:
            raise ArgumentError("example_inputs: expected tensors, found none")

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Dict[str, Any]:
        """Returns the arguments by name, in the order of the signature, whether they are passed by position or by
        name."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as reason:
            raise ArgumentError(f"the module takes {self.signature}: {reason}") from None
        return dict(bound.arguments)

    def tensors(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> List[Any]:
        """Returns the tensors of a call. The arguments must have the structure and the constants of the example."""
        leaves, spec = pytree.tree_flatten(self._bind(args, kwargs))
        if spec != self.spec:
            raise ArgumentError(f"expected arguments of the structure that was compiled ({', '.join(self.names)}), "
                                f"found {pytree.treespec_pprint(spec)}")
        for name, fixed, leaf in zip(self.names, self.leaves, leaves):
            if fixed is not None and (type(leaf) is not type(fixed[0]) or leaf != fixed[0]):
                raise ArgumentError(f"argument {name!r} was compiled as the constant {fixed[0]!r}, found {leaf!r}")
        return [leaf for leaf, fixed in zip(leaves, self.leaves) if fixed is None]

    def call(self, module: torch.nn.Module, tensors: Sequence[torch.Tensor]) -> Any:
        """Calls the module with these tensors, in the order of the leaves, and with the constants of the example."""
        rest = iter(tensors)
        leaves = [next(rest) if fixed is None else fixed[0] for fixed in self.leaves]
        bound = self.signature.bind_partial()
        bound.arguments.update(pytree.tree_unflatten(leaves, self.spec))
        return module(*bound.args, **bound.kwargs)

    def inputs(self, shapes: Optional[Shapes], dims: Optional[Mapping[str, Dim]]
               ) -> Tuple[List[Input], Dict[str, Tuple[int, int]]]:
        """Returns the tensors with the names of their dimensions in ranges, and the ranges of these names. A dimension
        whose range is a single size keeps no name."""
        found = [(name, _as_tensor(leaf, name)) for name, leaf, fixed in zip(self.names, self.examples, self.leaves)
                 if fixed is None]
        named = _dimensions(dict(found), {} if shapes is None else shapes)
        ranges = _dims.ends(dims)
        used = {dim for names in named.values() for dim in names.values()}
        for dim in used - set(ranges):
            raise ArgumentError(f"dims: the range of {dim!r} is missing")
        for dim in sorted(set(ranges) - used):
            raise ArgumentError(f"dims: no dimension of an input is called {dim!r}; dynamic_shapes names them, as "
                                "dynamic_shapes={'x': ('batch', None)} does")
        inputs = []
        for name, tensor in found:
            ranged = {}  # the names of the dimensions that lie in ranges
            for d, dim in named.get(name, {}).items():
                low, high = ranges[dim]
                if not low <= tensor.shape[d] <= high:
                    raise ArgumentError(f"example_inputs: {name!r} has size {tensor.shape[d]} in dimension {d}, outside "
                                        f"the range {low}..{high} of {dim!r}")
                if low < high:
                    ranged[d] = dim
            inputs.append(Input(name, tensor, ranged))
        return _widened(inputs), {dim: ends for dim, ends in ranges.items() if ends[0] < ends[1]}


def _is_tensor(value: Any) -> bool:
    """Whether a leaf is a torch tensor or an array, such as a numpy array."""
    return isinstance(value, torch.Tensor) or (hasattr(value, "__array_interface__") and hasattr(value, "dtype"))


def _as_tensor(value: Any, name: str) -> torch.Tensor:
    tensor = value if isinstance(value, torch.Tensor) else torch.as_tensor(value)
    if tensor.device.type != "cpu":
        raise ArgumentError(f"example_inputs: {name!r}: expected memory of the host, found a tensor on {tensor.device}")
    return tensor.detach()


def _name(path: Sequence[Any]) -> str:
    """Returns the name of a leaf: the argument's name and the keys that lead to the leaf, joined by underscores."""
    text = pytree.keystr(tuple(path)).replace("'", "")
    return re.sub(r"\W+", "_", text).strip("_")


def _dimensions(tensors: Mapping[str, torch.Tensor], shapes: Shapes) -> Dict[str, Dict[int, str]]:
    """Returns the names of dimensions for each tensor. In dynamic_shapes a tuple or a list has an entry for each
    dimension; a dict has entries for some."""
    if not isinstance(shapes, Mapping):
        raise ArgumentError("dynamic_shapes: expected names by argument, as in {'x': {0: 'batch'}}, found "
                            f"{type(shapes).__name__}")
    found: Dict[str, Dict[int, str]] = {}
    for name, given in shapes.items():
        if name not in tensors:
            raise ArgumentError(f"dynamic_shapes: no tensor is called {name!r}; there are {', '.join(tensors)}")
        rank = tensors[name].dim()
        if isinstance(given, Mapping):
            entries = dict(given)
        elif isinstance(given, (tuple, list)) and len(given) == rank:
            entries = dict(enumerate(given))
        else:
            raise ArgumentError(f"dynamic_shapes: {name!r} is {given!r}, expected a name for each of {rank} dimensions, None "
                                "for a dimension with a fixed size, or {dimension: name}")
        for d, dim in entries.items():
            is_name = dim is None or (isinstance(dim, str) and dim.isidentifier())
            if not isinstance(d, int) or not 0 <= d < rank or not is_name:
                raise ArgumentError(f"dynamic_shapes: {name!r} has {d!r}: {dim!r}, expected a dimension less than "
                                    f"{rank}, and a name")
        found[name] = {d: dim for d, dim in entries.items() if dim is not None}
    return found


def _widened(inputs: List[Input]) -> List[Input]:
    """Replaces examples whose size is 0 or 1 in a dimension that lies in a range by examples with size 2, since the
    exporter would treat 0 and 1 as constants. This is also done if 2 is outside the range."""
    small: Set[str] = {dim for given in inputs for d, dim in given.dims.items() if given.example.shape[d] < 2}
    for given in inputs:
        shape = [2 if given.dims.get(d) in small else size for d, size in enumerate(given.example.shape)]
        if shape != list(given.example.shape):
            given.example = torch.zeros(shape, dtype=given.example.dtype)
    return inputs
