"""heddle.compile: compiles a model to a library and loads it."""
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

# The names of the arguments of `compile` that become options of `heddle compile`, besides dims, output and weights.
OPTIONS = ("cpus", "device", "precision", "calibrate", "least_cosine", "padding", "outputs", "strategies", "name", "decoder",
           "state", "state_precision", "as_inputs")


def arguments(dims: Optional[Mapping[str, Dim]], cpus: Union[str, Sequence[str], None], device: Optional[str],
              precision: Optional[str], padding: Optional[str], outputs: Union[str, Sequence[str], None],
              strategies: Union[Mapping[str, str], Sequence[str], None], name: Optional[str],
              calibrate: Optional[Path] = None, least_cosine: Optional[float] = None, decoder: Optional[bool] = None,
              state: Optional[bool] = None, state_precision: Optional[str] = None,
              as_inputs: Union[str, Sequence[str], None] = None) -> List[str]:
    """Returns the options of `heddle compile` for arguments of `compile`, without the options for output files."""
    if isinstance(strategies, Mapping):
        strategies = [f"{operation}={strategy}" for operation, strategy in strategies.items()]
    options = [f"--dim={dim}" for dim in _dims.words(dims)]
    options += [f"--strategy={strategy}" for strategy in _texts.several(strategies, "strategies")]
    options += [f"--{flag}" for flag, given in (("decoder", decoder), ("state", state)) if given]
    options += [f"--only={output}" for output in _texts.several(outputs, "outputs")]
    options += [f"--as-input={name}" for name in _texts.several(as_inputs, "as_inputs")]
    kind = _texts.optional(device, "device")
    for option, value in (("device", kind and kind.split(":")[0]), ("precision", precision),
                          ("state-precision", state_precision), ("padding", padding), ("name", name),
                          ("mcpu", ",".join(_texts.several(cpus, "cpus")))):
        text = _texts.optional(value, option)
        if text:
            options.append(f"--{option}={text}")
    for option, given in (("calibrate", calibrate), ("least_cosine", least_cosine)):
        if given is not None and precision is None:
            raise ArgumentError(f"{option}: requires the argument precision")
    if calibrate is not None:
        options.append(f"--calibrate={_texts.path(calibrate, 'calibrate')}")
    if least_cosine is not None:
        options.append(f"--least-cosine={_cosine(least_cosine)!r}")
    return options


def _cosine(value: Any) -> float:
    """Returns the argument least_cosine as a number in (0, 1]."""
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
            as_inputs: Union[str, Sequence[str], None] = None, threads: Optional[int] = None) -> Model: ...


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
            as_inputs: Union[str, Sequence[str], None] = None, threads: Optional[int] = None) -> Any:
    """Compiles a model and loads it.

    model: an .onnx file, a Hugging Face directory, a .gguf or .mlir file or a quoted operation, as for `heddle
      compile`; or a torch.nn.Module, with example_inputs and dynamic_shapes, which heddle.torch.compile_module documents.
    dims: sizes of the model's dynamic dimensions, by name: a number, a range, (low, high) or "low..high"; or
      "1,2..8,9..512", a range divided into classes, each with separate code.
    output: the path of the library to write, an .so, with its header beside it. None: the library is written to the
      cache, and found there as long as these options, the contents of all files that are read (the model's, strategies
      and `calibrate`), the compiler and the CPU are the same.
    weights: a separate file for the weights; only with `output`.
    cpus: one or several CPU names, as in clang; None: the default of `heddle compile` if `output` or `device` is given,
      otherwise this machine's CPU.
    device: the kind of device to compile for, "vulkan" or "cuda"; "vulkan:1" also selects the second device of Vulkan.
    precision: the precision of layers: "f32", "bf16", "int8", "int8-block", or "int8:ffn" for feed-forward layers only;
      or the type of stored weights of layers that compute in f32: "bf16-weights", "f16-weights". `heddle verify`
      measures by how much the outputs differ from f32.
    calibrate: a .safetensors file with inputs that determine the outlier channels of int8; None: random inputs.
    least_cosine: leaves layers in bf16 or f32 until every row of each output, for the inputs of `calibrate`, has at
      least this cosine with the same row in f32. Like `calibrate`, it requires `precision`.
    padding: "auto": rows of padding are left out of a computation if no result depends on them; "skip": outputs are 0
      in rows of padding, so no layer needs to compute them.
    outputs: the outputs to compute; None: all.
    strategies: for each operation: the name or file of the strategy that lowers it, with values of the strategy's
      parameters (knobs) after a colon.
    name: the prefix of the library's functions in C.
    decoder: whether a decoder from a Hugging Face directory or a GGUF file keeps keys and values in a heddle.State
      between calls; then sizes that are not in `dims` have the defaults of `heddle compile --decoder`.
    state: whether the inputs for the past and the outputs for the present of an .onnx file become a heddle.State.
    state_precision: the type of stored keys and values: "f32", "bf16", "f16", or "int8" with a scale for each row.
    as_inputs: the names of inputs of an .onnx file that calls provide although the file has initializers for them;
      other inputs with initializers are constants.
    threads: as in `load`.

    Raises CompileError with the compiler's text if the compiler rejects the model. Also raises CompileError if there is
    no compiler or the cache cannot be written, ArgumentError if an argument is invalid, and LoadError as `load` does.
    """
    options: Dict[str, Any] = {"cpus": cpus, "device": device, "precision": precision, "calibrate": calibrate,
                               "least_cosine": least_cosine, "padding": padding, "outputs": outputs, "strategies": strategies,
                               "name": name}
    if decoder or state:
        options.update(decoder=decoder, state=state)
    if state_precision is not None:
        options.update(state_precision=state_precision)
    if as_inputs is not None:
        options.update(as_inputs=as_inputs)
    if _is_module(model):
        for key, value in (("output", output), ("weights", weights), ("outputs", outputs)):
            if value is not None:
                raise ArgumentError(f"{key}: cannot be given for a torch.nn.Module, whose library is stored in the "
                                    "cache")
        if decoder or state or state_precision is not None or as_inputs is not None:
            raise ArgumentError("decoder, state, state_precision and as_inputs cannot be given for a torch.nn.Module")
        from .torch import compile_module
        return compile_module(model, example_inputs, dynamic_shapes=dynamic_shapes, dims=dims, threads=threads, **options)
    if not isinstance(model, (str, os.PathLike)):
        raise ArgumentError("model: expected a path, a quoted operation as text or a torch.nn.Module, found "
                            f"{type(model).__name__}")
    source = _texts.path(model, "model")
    if example_inputs is not None or dynamic_shapes is not None:
        raise ArgumentError("example_inputs and dynamic_shapes require a torch.nn.Module")
    program = _compiler.find()
    if output is None:
        if weights is not None:
            raise ArgumentError("weights: requires the argument output, the path of the library")
        return from_cache(program, source, dims=dims, threads=threads, **options)
    target = _texts.path(output, "output")
    if not target.endswith(".so"):
        raise ArgumentError(f"output: expected the name of a library, which ends with .so, found {target!r}")
    given = [*arguments(dims, **options), *([f"--weights={_texts.path(weights, 'weights')}"] if weights is not None else [])]
    _compiler.run(program, ["compile", _compiler.positional(source), f"--output={target}", *given])
    return load(target, threads=threads, weights=weights, device=device)


def _is_module(model: Any) -> bool:
    """Whether `model` is a torch.nn.Module. Does not import torch: a caller with a module has imported it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def from_cache(program: str, source: str, *, dims: Optional[Mapping[str, Dim]], threads: Optional[int] = None,
               beside: bool = False, **options: Any) -> Model:
    """Compiles a model unless the cache contains its library, and loads the library.

    program: the path of the compiler.
    source: the model, as for `heddle compile`.
    beside: whether the weights are in a separate file beside the library.
    options: values for the names in OPTIONS.
    """
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
    try:  # the file of weights is empty if the model has no weights
        return load(path, threads=threads, device=device, weights=weights if weights and weights.stat().st_size else None)
    except LoadError as reason:
        reason.args = (f"{reason} (from the cache: {path.parent})",)
        raise
