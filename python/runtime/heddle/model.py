"""A compiled model, called with arrays."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _devices, _executor, _native, _texts, _types
from ._arrays import Memory
from ._library import Handles
from .description import Description, Size, Tensor
from .device_array import DeviceArray
from .errors import ArgumentError, CallError, IndexRangeError, LoadError
from .outputs import Outputs

Path = Union[str, "os.PathLike[str]"]


class Model:
    """A library that `heddle compile` wrote, loaded and initialised. Any number of threads may call it concurrently:
    calls release the global interpreter lock, and each has its own arena.

    path: the library, an .so.
    threads: the number of threads of a call; None: one for each physical core. Concurrent calls share the threads:
      while one call uses them, other calls run on one thread each. 1: each call runs on the calling thread, without
      waiting.
    variant: the code to use, one of `variants`; None: the best for this machine.
    weights: the file with the weights, if they are not in the library.
    device: the device to use if the code is for a device, such as "vulkan:1"; None: the most capable device of the kind
      that the code is for.

    Raises LoadError with the reason if the library cannot be loaded, and ArgumentError if an argument is invalid.
    """

    def __init__(self, path: Path, *, threads: Optional[int] = None, variant: Optional[str] = None,
                 weights: Optional[Path] = None, device: Optional[str] = None):
        self._threads = _executor.check(threads)
        variant, device = _texts.optional(variant, "variant"), _texts.optional(device, "device")
        weights = None if weights is None else _texts.path(weights, "weights")
        self._arguments: Dict[str, Any] = {"threads": threads, "variant": variant, "weights": weights, "device": device}
        # The real path is used, because the dynamic linker searches other folders for a name without a slash, and
        # identifies a loaded library by its name.
        self._handles = Handles(os.path.realpath(_texts.path(path, "path")))
        self._finalizer = weakref.finalize(self, self._handles.close)
        self._finalizer.atexit = False  # when the process ends, a thread may still be in a call
        self._description = Description.read(self._handles.model.contents)
        self._inputs = {tensor.name: tensor for tensor in self.inputs}
        self._outputs = {tensor.name: (i, tensor) for i, tensor in enumerate(self.outputs)}
        try:
            self._device = self._open_device(device)
        except LoadError:
            self.close()
            raise
        self._handles.initialise(variant, weights, self._device and self._device.pointer)

    def _open_device(self, device: Optional[str]) -> Optional[_devices.Device]:
        """Returns the device that the argument `device` names; None if the code is for CPUs."""
        kind = self._description.device
        if (device or kind or "cpu").split(":")[0] != (kind or "cpu"):
            raise LoadError(f"{self.path}: its code is for {kind or 'a CPU'}, found device {device!r}")
        return _devices.device(device or kind) if kind else None

    @property
    def path(self) -> str:
        return self._handles.path

    @property
    def name(self) -> str:
        """The name with which the library's C functions begin."""
        return self._description.name

    @property
    def source(self) -> str:
        """The name of the model that was compiled."""
        return self._description.source

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        return self._description.inputs

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        return self._description.outputs

    @property
    def sizes(self) -> Tuple[Size, ...]:
        """The sizes that lie in ranges."""
        return self._description.sizes

    @property
    def variants(self) -> Tuple[str, ...]:
        """The CPUs that the library has code for."""
        return self._description.variants

    @property
    def variant(self) -> str:
        """The variant whose code runs."""
        call = self._handles.take()
        try:
            return _native.text(_native.library.heddle_instance_variant(self._handles.instance))
        finally:
            self._handles.give(call)

    @property
    def device(self) -> Optional[str]:
        """The kind of device that the code is for; None for a CPU."""
        return self._description.device

    @property
    def threads(self) -> int:
        return self._threads

    @property
    def closed(self) -> bool:
        return self._handles.closed

    def __call__(self, *arguments: Any, **named: Any) -> Outputs:
        """Calls the model with inputs by position, by name, or both. See `run`."""
        if len(arguments) > len(self.inputs):
            raise ArgumentError(f"{self.name}: expected {len(self.inputs)} inputs at most, found {len(arguments)}")
        inputs = {tensor.name: value for tensor, value in zip(self.inputs, arguments)}
        for name, value in named.items():
            if name in inputs:
                raise ArgumentError(f"{self.name}: input {name!r} is given by position and by name")
            inputs[name] = value
        return self.run(inputs)

    def run(self, inputs: Mapping[str, Any], *, outputs: Optional[Sequence[str]] = None,
            out: Optional[Mapping[str, Any]] = None, sizes: Optional[Mapping[str, int]] = None,
            threads: Optional[int] = None, on_device: Optional[bool] = None) -> Outputs:
        """Calls the model.

        inputs: by name: numpy arrays, objects with DLPack or an array interface, or lists of numbers; a heddle.State
          for the state that the model keeps between calls. Elements must have the model's type. Memory that is dense
          and aligned to its elements is read in place; other memory of the host is copied first. An optional input may
          be absent, or None. If the model's code is for a device, inputs may also be on this device: tensors of torch,
          cupy or other frameworks by DLPack on a CUDA device, and a heddle.DeviceArray on any device. They must be
          dense and are not copied to the host, except inputs whose elements the call checks on the host, such as token
          ids. Work that a framework has enqueued for such a tensor before the call is done before the call reads it.
        outputs: the names of the wanted outputs; None: all. Outputs that are not optional, and those in `out`, are
          always computed and returned.
        out: arrays to write outputs to, by name, on the host or on the model's device; other outputs are allocated.
        sizes: values of sizes that no input determines.
        threads: the number of threads of this call; None: the number that the model was loaded with.
        on_device: whether outputs that are not in `out` are allocated on the model's device; None: on the device if at
          least one input is there, else on the host.

        Returns the outputs, in the model's order: numpy arrays on the host, a heddle.DeviceArray on the device
        (torch.from_dlpack(output) makes a tensor of it), and for `out` the objects that it contains. Outputs of
        bfloat16 on the host are float32, unless `out` has memory for them. The outputs are complete: no stream of a
        framework needs to wait for them.

        Raises ArgumentError if inputs do not match the model, IndexRangeError if an element of an input or an index
        that the model computes is out of range, ClosedError if the model was closed, and CallError for other failures.
        The contents of `out` are undefined then.
        """
        threads = self._threads if threads is None else _executor.check(threads)
        told = self._told(sizes)
        given, has_device = self._read(inputs)
        device = self._device_of_outputs(has_device if on_device is None else on_device)
        for value in inputs.values():  # the sizes of a heddle.State are sizes of the call, too
            told = {**getattr(value, "_state_sizes", {}), **told}
        wanted = self._wanted(outputs, out)
        call = self._handles.take()
        try:
            self._copy_strided(given, told)
            targets = self._write(out or {}, given)
            with _GivenSizes(self, call, told):
                bound = [(name, array) for name, (array, _) in given.items()]
                self._check(call, _native.library.heddle_call_bind(call, *self._pass(bound, self._inputs)))
                results = [(name, targets[name] if name in targets else self._make(call, name, device)) for name in wanted]
                tensors = {name: tensor for name, (_, tensor) in self._outputs.items()}
                self._check(call, _native.library.heddle_call_run(call, *self._pass(results, tensors),
                                                                  _executor.pool(threads)))
        finally:
            self._handles.give(call)
        return Outputs(wanted, [self._result(name, array, out or {}) for name, array in results])

    def _result(self, name: str, array: Memory, out: Mapping[str, Any]) -> Any:
        """Returns the output that the caller receives for an array to which the call has written."""
        if name in out:
            return out[name]
        if isinstance(array, DeviceArray):
            return array
        return _types.from_bfloat16(array) if self._outputs[name][1].dtype == "bfloat16" else array

    def close(self) -> None:
        """Frees the model when the calls in progress have ended. Results of calls stay valid."""
        self._finalizer.detach()
        self._handles.close()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return _again, (self.path, self._arguments)

    def __repr__(self) -> str:
        def listed(tensors: Sequence[Tensor]) -> str:
            return ", ".join(f"{t.name}: {t.dtype}[{', '.join(map(str, t.shape))}]" for t in tensors)

        return f"<heddle.Model {self.name}({listed(self.inputs)}) -> ({listed(self.outputs)})>"

    def _by_name(self, given: Any, what: str) -> Mapping[str, Any]:
        if not isinstance(given, Mapping):
            raise ArgumentError(f"{self.name}: {what}: expected a dict by name, found {type(given).__name__}")
        return given

    def _told(self, sizes: Optional[Mapping[str, int]]) -> Dict[str, int]:
        """Returns the argument `sizes` of `run`, after checking its names and values."""
        told = dict(self._by_name({} if sizes is None else sizes, "sizes"))
        names = [size.name for size in self.sizes]
        for name, value in told.items():
            if name not in names:
                raise ArgumentError(f"{self.name}: no size that lies in a range is called {name!r}; there are "
                                    f"{', '.join(names) or 'none'}")
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < _native.SIZE_MAX:
                raise ArgumentError(f"{self.name}: size {name!r} is {value!r}, expected a whole number of at least 0")
        return told

    def _device_of_outputs(self, on_device: bool) -> Optional[_devices.Device]:
        """Returns the device on which outputs are allocated; None: the host."""
        if on_device and self._device is None:
            raise ArgumentError(f"{self.name}: on_device: the model's code is for a CPU")
        return self._device if on_device else None

    def _read(self, inputs: Mapping[str, Any]) -> Tuple[Dict[str, Tuple[Memory, Any]], bool]:
        """Returns for each input an array over its memory, and an object that keeps the memory alive. The last result
        is whether the caller gave an input on the device."""
        unknown = [str(name) for name in self._by_name(inputs, "inputs") if name not in self._inputs]
        if unknown:
            raise ArgumentError(f"{self.name}: no input is called {unknown[0]!r}; there are {', '.join(self._inputs)}")
        given = {}
        for name, value in inputs.items():
            tensor = self._inputs[name]
            if value is not None or not tensor.optional:
                given[name] = _arrays.readable(value, tensor.dtype, f"{self.name}: input {name!r}",
                                               None if tensor.is_state else self._device)
        on_device = [(name, array) for name, (array, _) in given.items() if isinstance(array, DeviceArray)]
        for name, array in on_device:
            if self._inputs[name].is_read_by_host:
                given[name] = array.numpy(), None
        return given, bool(on_device)

    def _copy_strided(self, given: Dict[str, Tuple[Memory, Any]], told: Mapping[str, int]) -> None:
        """Replaces inputs that a call cannot read by dense copies. Shapes are checked first: an array with a stride of
        0 may have more elements than fit into memory."""
        strided = [name for name, (array, _) in given.items() if not _arrays.is_dense(array)]
        if not strided:
            return
        sizes = (ctypes.c_size_t * len(self.sizes))(*(told.get(size.name, _native.SIZE_MAX) for size in self.sizes))
        error = ctypes.create_string_buffer(_native.ERROR_SIZE)
        arrays = self._pass([(name, array) for name, (array, _) in given.items()], self._inputs)
        if _native.library.heddle_infer_sizes(self._handles.model, *arrays, sizes, error, len(error)) != _native.OK:
            raise ArgumentError(f"{self.name}: {_native.text(error.value)}")
        for name in strided:
            given[name] = _arrays.dense(given[name][0]), None

    def _wanted(self, outputs: Optional[Sequence[str]], out: Optional[Mapping[str, Any]]) -> List[str]:
        """Returns the names of the outputs that a call computes, in the model's order."""
        names = list(self._outputs) if outputs is None else _texts.several(outputs, "outputs")
        for name in [*names, *(self._by_name({} if out is None else out, "out"))]:
            if name not in self._outputs:
                raise ArgumentError(f"{self.name}: no output is called {name!r}; there are {', '.join(self._outputs)}")
        # Every call computes the outputs that are not optional.
        return [name for name, (_, tensor) in self._outputs.items() if name in names or name in (out or {})
                or not tensor.optional]

    def _write(self, out: Mapping[str, Any], given: Mapping[str, Tuple[Memory, Any]]) -> Dict[str, Memory]:
        """Returns the arrays of `out` to which the call writes. None may share memory with inputs or other outputs."""
        targets: Dict[str, Memory] = {}
        for name, value in out.items():
            what = f"{self.name}: output {name!r}"
            array = _arrays.writable(value, self._outputs[name][1].dtype, what, self._device)
            for other, memory in [*((n, a) for n, (a, _) in given.items()), *targets.items()]:
                if _arrays.may_overlap(array, memory):
                    raise ArgumentError(f"{what}: expected memory of its own, found the memory of {other!r}")
            targets[name] = array
        return targets

    def _make(self, call: int, name: str, device: Optional[_devices.Device]) -> Memory:
        """Allocates an output with the shape that it has in this call, on the host if `device` is None."""
        index, tensor = self._outputs[name]
        extents = _native.library.heddle_call_output_shape(call, index)
        shape = [extents[i] for i in range(len(tensor.shape))]
        if device is not None:
            return DeviceArray.allocate(shape, tensor.dtype, device, f"{self.name}: output {name!r}")
        try:
            return np.empty(shape, _types.MEMORY[tensor.dtype])
        except (MemoryError, ValueError) as reason:
            raise CallError(f"{self.name}: output {name!r}: {reason}") from None

    def _pass(self, arrays: Sequence[Tuple[str, Memory]], tensors: Mapping[str, Tensor]
              ) -> Tuple["ctypes.Array[_native.Array]", int]:
        """Returns structs heddle_array for named arrays, and their number."""
        passed = (_native.Array * len(arrays))()
        for entry, (name, array) in zip(passed, arrays):
            entry.name, entry.type, entry.rank = name.encode(), _types.NUMBERS[tensors[name].dtype], array.ndim
            entry.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            entry.place = _arrays.place(array)
        return passed, len(arrays)

    def _check(self, call: int, status: int) -> None:
        """Raises the exception for the status of a function that was called with the heddle_call `call`."""
        if status == _native.OK:
            return
        message = _native.text(_native.library.heddle_call_error(call))
        if not message.startswith(f"{self.name}: "):
            message = f"{self.name}: {message}"
        if status == _native.INVALID_ARGUMENT:
            raise ArgumentError(message)
        raise (IndexRangeError if status == _native.INDEX_OUT_OF_RANGE else CallError)(message, status)


class _GivenSizes:
    """Sets sizes of a struct heddle_call, for the duration of a `with` block."""

    def __init__(self, model: Model, call: int, sizes: Mapping[str, int]):
        self._model, self._call, self._sizes = model, call, sizes

    def __enter__(self) -> None:
        try:
            for name, value in self._sizes.items():
                self._model._check(self._call, _native.library.heddle_call_set_size(self._call, name.encode(), int(value)))
        except ArgumentError:
            self.__exit__()  # removes the sizes that were set before the error
            raise

    def __exit__(self, *unused: Any) -> None:
        for name in self._sizes:
            _native.library.heddle_call_set_size(self._call, name.encode(), _native.SIZE_MAX)


def _again(path: str, arguments: Dict[str, Any]) -> Model:
    """Loads the library of a pickled model again."""
    return Model(path, **arguments)


def load(path: Path, *, threads: Optional[int] = None, variant: Optional[str] = None, weights: Optional[Path] = None,
         device: Optional[str] = None) -> Model:
    """Loads a library that `heddle compile` wrote. See Model."""
    return Model(path, threads=threads, variant=variant, weights=weights, device=device)
