"""heddle.compile: from a model to a library that is loaded."""
from __future__ import annotations

import os
import pathlib
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union, overload

from . import _cache, _compiler, _dims, _fingerprint, _texts
from ._dims import Dim
from .errors import ArgumentError, CompileError, LoadError
from .model import Model, Path, load

if TYPE_CHECKING:
    import torch

    from .torch import CompiledModule

OPTIONS = ("cpus", "device", "precision", "calibrate", "least_cosine", "padding", "outputs", "strategies", "name", "decoder",
           "state", "state_precision")


def arguments(dims: Optional[Mapping[str, Dim]], cpus: Union[str, Sequence[str], None], device: Optional[str],
              precision: Optional[str], padding: Optional[str], outputs: Union[str, Sequence[str], None],
              strategies: Union[Mapping[str, str], Sequence[str], None], name: Optional[str],
              calibrate: Optional[Path] = None, least_cosine: Optional[float] = None, decoder: Optional[bool] = None,
              state: Optional[bool] = None, state_precision: Optional[str] = None) -> List[str]:
    """The options of `heddle compile`, but for what is written where."""
    if isinstance(strategies, Mapping):
        strategies = [f"{operation}={strategy}" for operation, strategy in strategies.items()]
    options = [f"--dim={dim}" for dim in _dims.words(dims)]
    options += [f"--strategy={strategy}" for strategy in _texts.several(strategies, "strategies")]
    options += [f"--{flag}" for flag, given in (("decoder", decoder), ("state", state)) if given]
    options += [f"--only={output}" for output in _texts.several(outputs, "outputs")]
    kind = _texts.optional(device, "device")
    for option, value in (("device", kind and kind.split(":")[0]), ("precision", precision),
                          ("state-precision", state_precision), ("padding", padding), ("name", name),
                          ("mcpu", ",".join(_texts.several(cpus, "cpus")))):
        text = _texts.optional(value, option)
        if text:
            options.append(f"--{option}={text}")
    for option, given in (("calibrate", calibrate), ("least_cosine", least_cosine)):
        if given is not None and precision is None:
            raise ArgumentError(f"{option}: goes with precision, which says what layers are computed in")
    if calibrate is not None:
        options.append(f"--calibrate={_texts.path(calibrate, 'calibrate')}")
    if least_cosine is not None:
        options.append(f"--least-cosine={_cosine(least_cosine)!r}")
    return options


def _cosine(value: Any) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise ArgumentError(f"least_cosine: expected a number above 0, at most 1, found {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"least_cosine: expected a number, found {type(value).__name__}") from None
    if not 0 < number <= 1:
        raise ArgumentError(f"least_cosine: expected a number above 0, at most 1, found {number!r}")
    return number


@overload
def compile(model: Path, *, dims: Optional[Mapping[str, Dim]] = None, output: Optional[Path] = None,
            weights: Optional[Path] = None, cpus: Union[str, Sequence[str], None] = None, device: Optional[str] = None,
            precision: Optional[str] = None, calibrate: Optional[Path] = None, least_cosine: Optional[float] = None,
            padding: Optional[str] = None,
            outputs: Union[str, Sequence[str], None] = None,
            strategies: Union[Mapping[str, str], Sequence[str], None] = None, name: Optional[str] = None,
            decoder: bool = False, state: bool = False, state_precision: Optional[str] = None,
            threads: Optional[int] = None) -> Model: ...


@overload
def compile(model: "torch.nn.Module", example_inputs: Any, *, dynamic_shapes: Optional[Mapping[str, Any]] = None,
            dims: Optional[Mapping[str, Dim]] = None, cpus: Union[str, Sequence[str], None] = None,
            device: Optional[str] = None, precision: Optional[str] = None, calibrate: Optional[Path] = None,
            least_cosine: Optional[float] = None, padding: Optional[str] = None,
            strategies: Union[Mapping[str, str], Sequence[str], None] = None, name: Optional[str] = None,
            threads: Optional[int] = None) -> "CompiledModule": ...


def compile(model: Any, example_inputs: Any = None, *, dynamic_shapes: Optional[Mapping[str, Any]] = None,
            dims: Optional[Mapping[str, Dim]] = None, output: Optional[Path] = None,
            weights: Optional[Path] = None, cpus: Union[str, Sequence[str], None] = None, device: Optional[str] = None,
            precision: Optional[str] = None, calibrate: Optional[Path] = None, least_cosine: Optional[float] = None,
            padding: Optional[str] = None,
            outputs: Union[str, Sequence[str], None] = None,
            strategies: Union[Mapping[str, str], Sequence[str], None] = None, name: Optional[str] = None,
            decoder: bool = False, state: bool = False, state_precision: Optional[str] = None,
            threads: Optional[int] = None) -> Any:
    """Compiles a model and loads it.

    model: what `heddle compile` takes: an .onnx file, a Hugging Face directory, an .mlir file or a quoted operation; or a
      torch.nn.Module, with example_inputs and dynamic_shapes, of which heddle.torch.compile_module has the rest.
    dims: sizes of dimensions that the model leaves open: a number, a range, (low, high) or "low..high"; "1,2..8,9..512":
      a range in classes, each with code of its own.
    output: where to write the library, an .so, with its header beside it. None: into the cache, where it is found again
      as long as the model's files, these options, the compiler and the CPU are the same.
    weights: a file to put the weights into instead of the library; only with `output`.
    cpus: names as clang has them, one or several; None: this machine's in the cache, those of `heddle compile` in `output`.
    device: "vulkan", or "vulkan:1" to run it on the second.
    precision: what layers are computed in: "f32", "bf16", "int8", "int8-block", of some alone "int8:ffn"; or how their
      weights are stored for f32: "bf16-weights", "f16-weights". Outputs differ from those in f32 as the compiler's `verify` says.
    calibrate: an .safetensors file with inputs, by which int8 finds the columns that stay exact; None: random ones.
    least_cosine: leave layers in bf16 or f32 until no row of an output, of these inputs, has a lower cosine to that in f32.
    padding: "auto" or "skip".
    outputs: compute these alone.
    strategies: by operation: a strategy's name or file, with knobs behind a colon.
    name: the prefix of the library's functions in C.
    decoder: a decoder of a Hugging Face directory keeps keys and values in a heddle.State from call to call; sizes that are
      not in `dims` are the model's own then, of new tokens in three classes.
    state: past and present of an .onnx file are such a state.
    state_precision: what keys and values are stored in there: "f32", "bf16", "f16" or "int8", with a scale for each row.
    threads: as `load` takes it.

    Raises CompileError with the compiler's text where it refuses, and where there is no compiler.
    """
    options: Dict[str, Any] = {"cpus": cpus, "device": device, "precision": precision, "calibrate": calibrate,
                               "least_cosine": least_cosine, "padding": padding, "outputs": outputs, "strategies": strategies,
                               "name": name}
    if decoder or state:
        options.update(decoder=decoder, state=state)
    if state_precision is not None:
        options.update(state_precision=state_precision)
    if _is_module(model):
        for key, value in (("output", output), ("weights", weights), ("outputs", outputs)):
            if value is not None:
                raise ArgumentError(f"{key}: does not go with a torch.nn.Module, of which the library is in the cache")
        if decoder or state or state_precision is not None:
            raise ArgumentError("decoder, state and state_precision do not go with a torch.nn.Module")
        from .torch import compile_module
        return compile_module(model, example_inputs, dynamic_shapes=dynamic_shapes, dims=dims, threads=threads, **options)
    if not isinstance(model, (str, os.PathLike)):
        raise ArgumentError("model: expected a path, a quoted operation as text or a torch.nn.Module, found "
                            f"{type(model).__name__}")
    source = _texts.path(model, "model")
    if example_inputs is not None or dynamic_shapes is not None:
        raise ArgumentError("example_inputs and dynamic_shapes go with a torch.nn.Module")
    program = _compiler.find()
    if output is None:
        if weights is not None:
            raise ArgumentError("weights: goes with output, which says where the library is to be")
        return from_cache(program, source, dims=dims, threads=threads, **options)
    target = _texts.path(output, "output")
    if not target.endswith(".so"):
        raise ArgumentError(f"output: expected the name of an .so, found {target!r}")
    given = [*arguments(dims, **options), *([f"--weights={_texts.path(weights, 'weights')}"] if weights is not None else [])]
    _compiler.run(program, ["compile", _compiler.positional(source), f"--output={target}", *given])
    return load(target, threads=threads, weights=weights, device=device)


def _is_module(model: Any) -> bool:
    """Without an import of torch: who has a module has imported it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def from_cache(program: str, source: str, *, dims: Optional[Mapping[str, Dim]], threads: Optional[int] = None,
               beside: bool = False, **options: Any) -> Model:
    """The library of a model with options of OPTIONS, made where the cache has none. beside: its weights are in a file of
    their own."""
    device = options.get("device")
    options = {**dict.fromkeys(OPTIONS), **options}
    options["cpus"] = options["cpus"] or (None if device else "native")
    given = arguments(dims, **options)
    try:
        files = [*_fingerprint.model_files(source),
                 *_fingerprint.strategy_files([option.partition("=")[2] for option in given]),
                 *([pathlib.Path(options["calibrate"])] if options["calibrate"] is not None else [])]
    except OSError as reason:
        raise CompileError(f"{reason.filename}: {reason.strerror}") from None
    what = pathlib.Path(source).name if os.path.exists(source) else source
    key = _fingerprint.fingerprint([what, *given, "beside" * beside, _compiler.version(program), _fingerprint.cpu()], files)
    facts: Dict[str, Any] = {"model": what, "options": given, "sources": dict(_fingerprint.describe(files))}

    def make(folder: pathlib.Path) -> None:
        more = [f"--weights={folder / 'model.weights'}"] if beside else []
        _compiler.run(program, ["compile", _compiler.positional(source), f"--output={folder / 'model.so'}", *given, *more])

    path = _cache.find_or_make(key, make, facts) / "model.so"
    weights = path.with_suffix(".weights") if beside else None
    try:  # a model without weights leaves the file empty
        return load(path, threads=threads, device=device, weights=weights if weights and weights.stat().st_size else None)
    except LoadError as reason:
        reason.args = (f"{reason} (from the cache: {path.parent})",)
        raise
