"""Exports a function of tensors to an ONNX file, with torch's exporter."""
from __future__ import annotations

import contextlib
import dataclasses
import io
import logging
import pathlib
import re
import warnings
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import torch

from ..errors import CompileError
from . import _version

Extent = Tuple[int, int]  # the index of an input, and of one of its dimensions


@dataclasses.dataclass
class Input:
    """A tensor that each call provides.

    dims: the names of the dimensions that lie in ranges. Dimensions with the same name have the same size.
    """
    name: str
    example: torch.Tensor
    dims: Dict[int, str]


@dataclasses.dataclass
class Exported:
    """The exported file.

    outputs: for each leaf of the function's result: None if it is the next output of the file, an Extent if it is a
      size of an input, otherwise (the value,), which is the same in each call.
    """
    outputs: List[Any]


class _Function(torch.nn.Module):
    """The exported module: a function from tensors to tensors."""

    def __init__(self, function: Callable[..., Sequence[Any]], module: torch.nn.Module) -> None:
        super().__init__()
        self.module, self.function = module, function

    def forward(self, *tensors: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        return tuple(value for value in self.function(*tensors) if isinstance(value, torch.Tensor))


def write(function: Callable[..., Sequence[Any]], module: torch.nn.Module, inputs: Sequence[Input],
          ranges: Dict[str, Tuple[int, int]], path: pathlib.Path) -> Exported:
    """Exports a function to the ONNX file `path`. Weights are written to a file beside it.

    function: takes a tensor for each input, and returns the leaves of its result, some of which are tensors.
    module: the module with the function's parameters.
    ranges: the lowest and the highest size for the name of each dimension.

    Raises CompileError with torch's text if torch cannot export the function. Also raises CompileError if a package is
    missing, if a call would write to a buffer or an input, draw random numbers, or use as_strided on an input or a
    tensor that is not dense, or if a result is a number that is computed from sizes.
    """
    returned: List[Any] = []

    def traced(*tensors: torch.Tensor) -> Sequence[Any]:
        returned[:] = function(*tensors)
        return returned

    wrapped = _Function(traced, module)
    with _quiet(), torch.no_grad():
        try:
            # torch refuses a range whose upper end is below 2. The compiler gets the caller's range.
            dims = {name: torch.export.Dim(name, min=low, max=max(high, 2)) for name, (low, high) in ranges.items()}
            shapes = tuple({d: dims[name] for d, name in i.dims.items()} for i in inputs)
            program = torch.export.export(wrapped, tuple(i.example for i in inputs), dynamic_shapes=(shapes,), strict=False)
            _refuse_random(program)
            _refuse_strides(program)
            file = torch.onnx.export(program, dynamo=True, verbose=False, optimize=True)
            assert file is not None and file.exported_program is not None
            _refuse_writes(file.exported_program)  # in this program, in-place operations are replaced
        except CompileError:
            raise
        except ImportError as reason:
            raise CompileError(f"torch's exporter needs the package {reason.name or 'onnxscript'}: {reason}") from None
        except Exception as reason:  # torch may raise any exception
            raise CompileError(f"torch cannot export the module: {_text(reason)}{_version.note()}") from reason
    names = _symbols(program, inputs)
    _rename(file.model, [i.name for i in inputs], {symbol: name for symbol, (name, _) in names.items()})
    file.save(str(path), external_data=True)
    return Exported([_leaf(value, names) for value in returned])


def _refuse_writes(program: "torch.export.ExportedProgram") -> None:
    """Raises CompileError if a call writes to a buffer or an input: a library only computes outputs."""
    signature = program.graph_signature
    for names, what in ((signature.buffers_to_mutate, "a buffer"), (signature.user_inputs_to_mutate, "an input")):
        if names:
            name = next(iter(names.values())).replace("module.", "", 1)
            raise CompileError(f"a call writes to {what}, {name}, which a library cannot do; module.eval() turns "
                               "training off")


def _refuse_random(program: "torch.export.ExportedProgram") -> None:
    """Raises CompileError if a call draws random numbers: a library computes the same outputs in each call."""
    for node in program.graph.nodes:
        if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload) \
                and torch.Tag.nondeterministic_seeded in node.target.tags and _is_random(node):
            raise CompileError(f"{node.target} draws random numbers, which a library cannot do; module.eval() turns "
                               "dropout off")


def _refuse_strides(program: "torch.export.ExportedProgram") -> None:
    """Raises CompileError for as_strided on an input, or on a tensor that is not dense or does not begin at the start
    of its memory. as_strided can read memory outside of the tensor's elements, but a library gets the elements only."""
    for node in program.graph.nodes:
        if node.op == "call_function" and node.target == torch.ops.aten.as_strided.default:
            source = node.args[0].meta["val"]
            if not source.is_contiguous() or source.storage_offset() != 0 \
                    or _root(node.args[0]).name in program.graph_signature.user_inputs:
                raise CompileError("torch.as_strided is supported only on dense tensors that are not inputs; use other "
                                   "views, such as unfold, or clone the tensor before")


def _root(node: torch.fx.Node) -> torch.fx.Node:
    """Returns the node whose memory a chain of views shows."""
    while node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload) \
            and node.target._schema.returns[0].alias_info is not None:
        node = node.args[0]  # type: ignore[assignment]
    return node


def _is_random(node: torch.fx.Node) -> bool:
    """Whether a node, whose operation torch marks as nondeterministic, draws random numbers. It draws none if its
    dropout probability is 0, or if its operation is dropout and the argument `train` is false."""
    assert isinstance(node.target, torch._ops.OpOverload)
    found = {argument.name: node.kwargs.get(argument.name, node.args[i] if i < len(node.args) else argument.default_value)
             for i, argument in enumerate(node.target._schema.arguments)}
    probability = found.get("dropout_p", found.get("p") if "dropout" in str(node.target) else None)
    if probability == 0:
        return False
    return not ("dropout" in str(node.target) and found.get("train") is False)


def _text(reason: BaseException) -> str:
    """Returns the type of torch's exception and the first paragraph of its message, at most 2000 characters. If a step
    of the exporter wrapped another exception, uses that exception."""
    while reason.__cause__ is not None:
        reason = reason.__cause__
    lines = [line.strip() for line in str(reason).strip().splitlines()]
    return f"{type(reason).__name__}: " + " ".join(lines[:lines.index("")] if "" in lines else lines)[:2000]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppresses output and warnings of the exporter, about which heddle's users can do nothing."""
    log = logging.getLogger("torch.onnx")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)


def _symbols(program: "torch.export.ExportedProgram", inputs: Sequence[Input]) -> Dict[str, Tuple[str, Extent]]:
    """Returns, for each of torch's symbols, the name of the dimension that it belongs to, and an input dimension whose
    size is exactly this symbol."""
    values = [node.meta["val"] for node in program.graph.nodes
              if node.op == "placeholder" and node.name in program.graph_signature.user_inputs]
    found: Dict[str, Tuple[str, Extent]] = {}
    for i, (given, value) in enumerate(zip(inputs, values)):
        for d, name in given.dims.items():
            found.setdefault(str(value.shape[d]), (name, (i, d)))
    return found


def _leaf(value: Any, names: Dict[str, Tuple[str, Extent]]) -> Any:
    """Returns the entry of Exported.outputs for a leaf of the function's result."""
    if isinstance(value, torch.Tensor):
        return None
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        if str(value) not in names:
            raise CompileError(f"the result {value} is a number that is computed from sizes, which is not supported")
        return names[str(value)][1]
    return (value,)


def _rename(model: Any, inputs: Sequence[str], names: Dict[str, str]) -> None:
    """Renames sizes and inputs to the caller's names. Removes metadata about the source code, since the metadata would
    make files of the same model differ."""
    def renamed(text: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), text)

    import onnx_ir
    nodes = list(model.graph.all_nodes())
    for value in [*model.graph.inputs, *(output for node in nodes for output in node.outputs)]:
        value.metadata_props.clear()
        if value.shape is not None:
            value.shape = onnx_ir.Shape([renamed(d.value) if isinstance(d, onnx_ir.SymbolicDim) and d.value else d
                                         for d in value.shape])
    for part in [*nodes, model, model.graph]:
        part.metadata_props.clear()
        part.doc_string = None
    for value, name in zip(model.graph.inputs, inputs):
        value.name = name
