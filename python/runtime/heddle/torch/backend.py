"""torch.compile(module, backend="heddle"): compiles each graph that torch extracts from a program to a library."""
from __future__ import annotations

import threading
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

import torch

from ..errors import ArgumentError, CompileError, Error
from . import _library
from ._export import Input
from ._version import explained

Function = Callable[..., Any]
# The options of heddle.compile that make sense for a torch graph: none about dimensions, files, decoders or states.
_OPTIONS = ("cpus", "device", "least_cosine", "padding", "precision", "strategies", "threads")
_LARGEST = 4096  # the upper end of ranges for which torch has none
_MAX_LIBRARIES = 8  # the maximum number of libraries that are compiled for a graph
_told: Set[str] = set()  # the texts of all warnings of this process


class FallbackWarning(UserWarning):
    """Warns that torch runs a graph, or one call of it, for the reason in the text. A process shows each text once."""


def backend(graph: torch.fx.GraphModule, inputs: Sequence[Any], options: Optional[Dict[str, Any]] = None) -> Function:
    """Returns a function that runs the graph; torch.compile calls `backend` for each graph. The graph is compiled when
    it first runs. If Heddle cannot run the graph, or gradients are required, torch runs the graph after a warning.

    options: these options of heddle.compile: cpus, device, least_cosine, padding, precision, strategies, threads; and
      largest, the upper end of the range of a dimension for which torch has no upper end (4096 by default).
      torch._dynamo.mark_dynamic(tensor, dimension, min=, max=) gives a dimension its own range.

    Raises ArgumentError if an option has another name, or if `largest` is not an integer of at least 2.
    """
    known = dict(options or {})
    largest = known.pop("largest", _LARGEST)
    if not isinstance(largest, int) or largest < 2:
        raise ArgumentError(f"options: largest is {largest!r}, expected a size of at least 2")
    for key in known:
        if key not in _OPTIONS:
            raise ArgumentError(f"options: {key!r} is unknown; there are {', '.join(_OPTIONS)}, largest")
    if torch.is_grad_enabled() and any(isinstance(value, torch.Tensor) and value.requires_grad for value in inputs):
        _tell(graph, "gradients are required; call the module in torch.no_grad() or torch.inference_mode()")
        return graph.forward
    try:
        with explained():
            return _Graph(graph, inputs, largest, known)
    except CompileError as reason:
        _tell(graph, str(reason))
        return graph.forward


def _tell(graph: torch.fx.GraphModule, reason: str, what: str = "a graph") -> None:
    """Emits a FallbackWarning unless the process has emitted one with the same text."""
    count = sum(node.op in ("call_function", "call_method", "call_module") for node in graph.graph.nodes)
    text = f"torch, not heddle, runs {what} of {count} operation{'' if count == 1 else 's'}: {reason}"
    if text not in _told:
        _told.add(text)
        warnings.warn(text, FallbackWarning, stacklevel=2)


# The versions of the parameters (see _version), the parameters, and the library that was compiled from them, or None
# instead of the library if compiling failed.
_Made = Tuple[Tuple[Tuple[int, int], ...], List[torch.Tensor], Optional[_library.Library]]


class _Graph:
    """A graph with its libraries: one for each set of parameters, since two modules of a class may share a graph."""

    def __init__(self, graph: torch.fx.GraphModule, inputs: Sequence[Any], largest: int, options: Dict[str, Any]) -> None:
        self._graph, self._options, self._lock = graph, options, threading.Lock()
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        values = [node.meta.get("example_value", value) for node, value in zip(nodes, inputs)]
        # The indices of the arguments that are parameters or buffers, and of those that are other tensors.
        self._weights = [i for i, value in enumerate(inputs) if _is_weight(value)]
        self._tensors = [i for i, value in enumerate(values) if isinstance(value, torch.Tensor) and i not in self._weights]
        # For each argument that is an integer: its constant value, or an input and a dimension that have this size.
        self._sizes: Dict[int, Union[Tuple[int, int], int]] = {}
        self._inputs, self._ranges = _inputs([(nodes[i].name, values[i]) for i in self._tensors], largest)
        # For torch's text of each size, an input and a dimension that have this size.
        self._places = {str(size): (at, d) for at, i in enumerate(self._tensors)
                        for d, size in enumerate(values[i].shape) if isinstance(size, torch.SymInt)}
        # The names and the values of the integers that are constants.
        self._constants: Dict[int, Tuple[str, int]] = {}
        for i, value in enumerate(values):
            if i in self._weights or i in self._tensors:
                continue
            if not nodes[i].users:  # torch also passes numbers that the graph does not use, such as strides
                self._sizes[i] = 0
                continue
            size = self._sizes[i] = self._size(nodes[i].name, value)
            if isinstance(size, int):
                self._constants[i] = (nodes[i].name, size)
        # The libraries, with the identities (`id`) of their parameters as keys.
        self._libraries: Dict[Tuple[int, ...], _Made] = {}
        self._count = 0  # the number of attempts to compile the graph

    def _size(self, name: str, value: Any) -> Union[Tuple[int, int], int]:
        """Returns the entry of `_sizes` for the argument `name`, whose example value is `value`."""
        if isinstance(value, torch.SymInt) and str(value) in self._places:
            return self._places[str(value)]
        if isinstance(value, torch.SymInt):
            low, high = _bounds(value)
            if low is None or low != high:
                raise CompileError(f"the graph's input {name} is an integer that differs from call to call and is not "
                                   "the size of a tensor")
            return low
        if isinstance(value, int):
            return value
        raise CompileError(f"the graph's input {name} is {value}, a {type(value).__name__} that is not the size of a "
                           "tensor")

    def __call__(self, *arguments: Any) -> Any:
        for i, (name, constant) in self._constants.items():
            if arguments[i] != constant:
                _tell(self._graph, f"the graph's input {name} is {arguments[i]}, but was compiled as the constant "
                                   f"{constant}", "a call of a graph")
                return self._graph(*arguments)
        weights = [arguments[i] for i in self._weights]
        library = self._library_of(weights)
        if library is None:
            return self._graph(*arguments)
        try:
            return library([arguments[i] for i in self._tensors], as_torch=True)
        except Error as reason:
            _tell(self._graph, str(reason), "a call of a graph")
            return self._graph(*arguments)

    def _library_of(self, weights: List[torch.Tensor]) -> Optional[_library.Library]:
        """Returns the library for these parameters, which is compiled if there is none or a parameter has changed."""
        key, versions = tuple(map(id, weights)), tuple(map(_version, weights))
        found = self._libraries.get(key)
        if found is None or found[0] != versions:
            with self._lock:
                found = self._libraries.get(key)
                if found is None or found[0] != versions:
                    found = self._libraries[key] = (versions, weights, self._compile(weights))
        return found[2]

    def _compile(self, weights: List[torch.Tensor]) -> Optional[_library.Library]:
        """Compiles the graph with these parameters as the library's weights. Warns and returns None if this fails or if
        the graph has been compiled _MAX_LIBRARIES times."""
        self._count += 1
        if self._count > _MAX_LIBRARIES:
            _tell(self._graph, f"its parameters were changed or replaced {_MAX_LIBRARIES} times")
            return None
        holder = torch.nn.Module()
        for i, weight in enumerate(weights):
            holder.register_buffer(f"weight_{i}", weight.detach())

        def function(*tensors: torch.Tensor) -> List[Any]:
            arguments: Dict[int, Any] = dict(zip(self._tensors, tensors))
            arguments.update((i, getattr(holder, f"weight_{at}")) for at, i in enumerate(self._weights))
            arguments.update((i, size if isinstance(size, int) else tensors[size[0]].shape[size[1]])
                             for i, size in self._sizes.items())
            return list(self._graph(*(arguments[i] for i in sorted(arguments))))

        holder.graph = self._graph
        try:
            with explained():
                return _library.make(function, holder, self._inputs, self._ranges, "graph", self._options)
        except Error as reason:
            _tell(self._graph, str(reason))
            return None


def _is_weight(value: Any) -> bool:
    """Whether `value` is a parameter or a buffer of a module, which is the same tensor in each call. torch marks
    buffers by an attribute."""
    return isinstance(value, torch.nn.Parameter) or getattr(value, "_dynamo_static_input_type", None) is not None


def _version(weight: torch.Tensor) -> Tuple[int, int]:
    """Returns a value that changes when the tensor's contents change in place or the tensor gets other memory. Changes
    through `.data`, or of an inference tensor, that keep the memory are not detected."""
    return (0 if weight.is_inference() else weight._version), weight.data_ptr()


def _inputs(values: Sequence[Tuple[str, torch.Tensor]], largest: int) -> Tuple[List[Input], Dict[str, Tuple[int, int]]]:
    """Returns the inputs for named tensors, and the ranges of their symbolic dimensions (see _range)."""
    inputs: List[Input] = []
    ranges: Dict[str, Tuple[int, int]] = {}
    for name, value in values:
        if value.device.type != "cpu":
            raise CompileError(f"the input {name} is on the device {value.device}, expected one in memory of the host")
        shape: List[int] = []
        dims: Dict[int, str] = {}
        for d, size in enumerate(value.shape):
            low, high = _range(size, largest) if isinstance(size, torch.SymInt) else (int(size), int(size))
            if isinstance(size, torch.SymInt) and low < high:
                text = str(size)
                # A size that is an expression of other sizes gets a name of its own. torch's exporter refuses the graph
                # if its operations require a relation between sizes of different names.
                dims[d] = text if text.isidentifier() else f"{name}_{d}"
                ranges[dims[d]] = (low, high)
                low = min(max(_hint(size), low, 2), high)
            shape.append(low)
        inputs.append(Input(name, torch.zeros(shape, dtype=value.dtype), dims))
    return inputs, ranges


def _range(size: torch.SymInt, largest: int) -> Tuple[int, int]:
    """Returns the lower and the upper end of torch's range of a size, each at least 1. The upper end is `largest` if
    torch has none."""
    low, high = _bounds(size)
    least = max(low or 0, 1)
    return least, max(largest if high is None else high, least)


def _bounds(value: torch.SymInt) -> Tuple[Optional[int], Optional[int]]:
    """Returns the lower and the upper end of torch's range of an integer; None for an end that torch does not have."""
    shapes = value.node.shape_env
    assert shapes is not None
    bounds = shapes.bound_sympy(value.node.expr)
    limits = torch.iinfo(torch.int64)  # if the range has no end, torch's end is infinite or one of these
    return (int(bounds.lower) if limits.min < bounds.lower < limits.max else None,
            int(bounds.upper) if limits.min < bounds.upper < limits.max else None)


def _hint(size: torch.SymInt) -> int:
    """Returns the size's value in the first call; 2 if torch does not know it."""
    hint = size.node.hint if size.node.has_hint() else None
    return hint if isinstance(hint, int) else 2
