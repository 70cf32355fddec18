"""Converts arguments to memory that a call reads or writes. The runtime checks their shapes."""
from __future__ import annotations

import math
from typing import Any, Optional, Tuple, Union

import numpy as np

from . import _dlpack, _native, _types
from ._devices import Device
from ._types import Array
from .device_array import DeviceArray
from .errors import ArgumentError

Memory = Union[Array, DeviceArray]  # what a call reads or writes: memory of the host or of the model's device


def readable(value: Any, name: str, what: str, device: Optional[Device]) -> Tuple[Memory, Any]:
    """Returns `value` as an array of type `name` (uint16 for "bfloat16"), with any strides, and an object that keeps
    the array's memory alive. If `value` is an array, the result has the memory of `value`; numbers and lists of numbers
    are copied. Raises ArgumentError if an array has another type. `what` names the value in errors. `device` is the
    model's device, whose memory `value` may be in; all work that writes to this memory is done on return."""
    array, found = _view(value, name, what, device, False)
    _check_type(found, name, what)
    return array, value


def place(array: Memory) -> _native.Place:
    """Returns the place of an array's elements in a call."""
    if isinstance(array, DeviceArray):
        return _native.Place(None, array._memory.handle if array._memory is not None else None, 0)
    return _native.Place(array.ctypes.data, None, 0)


def may_overlap(one: Memory, other: Memory) -> bool:
    """Whether two arrays may have elements at the same addresses."""
    if isinstance(one, DeviceArray) and isinstance(other, DeviceArray):
        return one._overlaps(other)
    return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.may_share_memory(one, other)


def is_dense(array: Memory) -> bool:
    """Whether a call can read the array without a copy. Arrays on devices are always dense."""
    return isinstance(array, DeviceArray) or (array.flags.c_contiguous and array.flags.aligned)


def dense(array: Array) -> Array:
    """Returns the array itself if it is dense, row-major and aligned to its elements, otherwise a copy that is so."""
    return np.require(array, requirements=["C", "A"])


def writable(value: Any, name: str, what: str, device: Optional[Device]) -> Memory:
    """Returns `value` as an array of type `name` over its memory, to which a call writes. Never copies. `device` is the
    model's device, whose memory `value` may be in; all work that uses this memory is done on return."""
    if not isinstance(value, np.ndarray) and not _dlpack.speaks_dlpack(value):
        raise ArgumentError(f"{what}: expected an array to write to, found {type(value).__name__}")
    array, found = _view(value, name, what, device, True)
    _check_type(found, name, what)
    if isinstance(array, DeviceArray):
        return array
    if not array.flags.c_contiguous:
        raise ArgumentError(f"{what}: expected dense memory in row-major order, found strides {array.strides}")
    if not array.flags.aligned:
        raise ArgumentError(f"{what}: expected memory aligned to {array.itemsize} bytes")
    if not array.flags.writeable:
        raise ArgumentError(f"{what}: expected memory to write to, found an array that may only be read")
    return array


def _check_type(found: str, name: str, what: str) -> None:
    """Raises ArgumentError unless the element type `found` is the expected type `name`."""
    if found != name:
        tip = ("heddle.to_bfloat16 makes a rounded copy" if name == "bfloat16"
               else f".astype({name!r}) makes a copy that fits")
        raise ArgumentError(f"{what}: expected {name}, found {found}; {tip}")


def _view_shared(value: Any, what: str, device: Optional[Device], is_written: bool) -> Tuple[Memory, str]:
    """Does the same as _view for an object that supports DLPack."""
    if isinstance(value, DeviceArray):
        if value._device is not device:
            raise ArgumentError(f"{what}: {_expected(device)}, found an array on {value.device}")
        value._finish_other_work(what)
        return value, value.dtype
    place = _dlpack.place_of(value, what)
    if _dlpack.is_on_host(place):
        return _dlpack.view(value, what, is_written)
    if device is not None and device.dlpack is None:
        raise ArgumentError(f"{what}: {_expected(None)}, found a tensor on {_dlpack.device_name(place)}; {device.unshared}")
    if device is None or device.dlpack != place:
        raise ArgumentError(f"{what}: {_expected(device)}, found a tensor on {_dlpack.device_name(place)}")
    # The framework makes `stream` wait for the work that it has enqueued in its own streams; then the host waits.
    stream = device.stream(what)
    found = _dlpack.read(value, what, is_written, stream=stream)
    device.wait(stream, what)
    if found.place != place:
        raise ArgumentError(f"{what}: {_expected(device)}, found a tensor on {_dlpack.device_name(found.place)}")
    if found.name not in _types.MEMORY:
        return np.empty(0), found.name  # the caller refuses the type
    itemsize, count = _types.MEMORY[found.name].itemsize, math.prod(found.shape)
    if count and not _is_row_major(found.shape, found.strides):
        raise ArgumentError(f"{what}: expected dense memory in row-major order, found strides {found.strides}")
    if count and found.address % itemsize:
        raise ArgumentError(f"{what}: expected memory aligned to {itemsize} bytes")
    memory = device.wrap(found.address, count * itemsize, what) if count else None
    return DeviceArray(found.shape, found.name, device, memory, found.keeper), found.name


def _expected(device: Optional[Device]) -> str:
    """Returns the part of an error message that describes the expected memory. `device` is the model's device."""
    return "expected memory of the host" + (f" or of {device.name}" if device is not None else "")


def _is_row_major(shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]]) -> bool:
    """Whether these strides, in elements, are those of a dense array in row-major order. The stride of a dimension of
    extent 1 does not matter."""
    expected = 1
    for extent, stride in reversed(list(zip(shape, strides or ()))):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _view(value: Any, name: str, what: str, device: Optional[Device], is_written: bool) -> Tuple[Memory, str]:
    """Returns `value` as an array, which keeps its memory alive, and the name of its element type. Numbers and lists of
    numbers, which have no element type, get the type `name`. `is_written`: whether a call writes to the array."""
    if not isinstance(value, np.ndarray):
        if _dlpack.speaks_dlpack(value):
            return _view_shared(value, what, device, is_written)
        if not hasattr(value, "__array_interface__") and not hasattr(value, "__array__") and not _is_buffer(value):
            return _from_numbers(value, name, what), name
        try:
            value = np.asarray(value)
        except Exception as reason:  # the library of `value` may raise any exception
            raise ArgumentError(f"{what}: {type(value).__name__} cannot be converted to an array: {reason}") from None
    found = value.dtype.name if value.dtype.isnative else f"{value.dtype.str}, not in the byte order of this machine"
    if found == "bfloat16" or (name == "bfloat16" and found == "uint16"):
        return value.view(np.uint16), "bfloat16"
    return value, found


def _is_buffer(value: Any) -> bool:
    """Whether `value` supports the buffer protocol and may contain numbers, unlike bytes."""
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return not isinstance(value, (bytes, bytearray))


def _from_numbers(value: Any, name: str, what: str) -> Array:
    """Converts lists and numbers, which have no element type, to the type `name`. Raises ArgumentError if they are of
    another kind, such as floating-point numbers for an integer type, or if integers are out of the type's range."""
    try:
        found = np.asarray(value)
    except Exception as reason:  # a list may contain objects with methods of their own
        raise ArgumentError(f"{what}: {type(value).__name__} cannot be converted to an array: {reason}") from None
    # numpy's kinds of types (b: bool, i and u: integers, f: floats) from which a conversion is allowed.
    kinds = {"b": "b", "i": "iu"}.get(_types.MEMORY[name].kind if name != "bfloat16" else "f", "fiu")
    if found.dtype.kind not in kinds and found.size:
        raise ArgumentError(f"{what}: expected numbers of type {name}, found {found.dtype.name} in "
                            f"{type(value).__name__}")
    if name == "bfloat16":
        return _types.to_bfloat16(found)
    if kinds == "iu" and found.size:
        bounds = np.iinfo(name)
        if int(found.min()) < bounds.min or int(found.max()) > bounds.max:
            raise ArgumentError(f"{what}: expected numbers of type {name}, found a number outside "
                                f"{bounds.min}..{bounds.max}")
    return found.astype(name)
