"""Converts arguments to memory that a call reads or writes. The runtime checks their shapes."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from . import _dlpack, _types
from ._types import Array
from .errors import ArgumentError


def readable(value: Any, name: str, what: str) -> Tuple[Array, Any]:
    """Returns `value` as an array of type `name` (uint16 for "bfloat16"), with any strides, and an object that keeps
    the array's memory alive. If `value` is an array, the result has the memory of `value`; numbers and lists of numbers
    are copied. Raises ArgumentError if an array has another type. `what` names the value in errors."""
    array, found, keeper = _view(value, name, what)
    _check_type(found, name, what)
    return array, (value, keeper)


def is_dense(array: Array) -> bool:
    """Whether a call can read the array without a copy."""
    return array.flags.c_contiguous and array.flags.aligned


def dense(array: Array) -> Array:
    """Returns the array itself if it is dense, row-major and aligned to its elements, otherwise a copy that is so."""
    return np.require(array, requirements=["C", "A"])


def writable(value: Any, name: str, what: str) -> Tuple[Array, Any]:
    """Returns `value` as an array of type `name` over its memory, to which a call writes, and an object that keeps the
    memory alive. Never copies."""
    if not isinstance(value, np.ndarray) and not _dlpack.speaks_dlpack(value):
        raise ArgumentError(f"{what}: expected an array to write to, found {type(value).__name__}")
    array, found, keeper = _view(value, name, what)
    _check_type(found, name, what)
    if not array.flags.c_contiguous:
        raise ArgumentError(f"{what}: expected dense memory in row-major order, found strides {array.strides}")
    if not array.flags.aligned:
        raise ArgumentError(f"{what}: expected memory aligned to {array.itemsize} bytes")
    if not array.flags.writeable:
        raise ArgumentError(f"{what}: expected memory to write to, found an array that may only be read")
    return array, (value, keeper)


def _check_type(found: str, name: str, what: str) -> None:
    """Raises ArgumentError unless the element type `found` is the expected type `name`."""
    if found != name:
        tip = ("heddle.to_bfloat16 makes a rounded copy" if name == "bfloat16"
               else f".astype({name!r}) makes a copy that fits")
        raise ArgumentError(f"{what}: expected {name}, found {found}; {tip}")


def _view(value: Any, name: str, what: str) -> Tuple[Array, str, Any]:
    """Returns `value` as an array, the name of its element type, and an object that must live as long as the array
    (None: there is no such object). Numbers and lists of numbers, which have no element type, get the type `name`."""
    if not isinstance(value, np.ndarray):
        if _dlpack.speaks_dlpack(value):
            return _dlpack.view(value, what)
        if not hasattr(value, "__array_interface__") and not hasattr(value, "__array__") and not _is_buffer(value):
            return _from_numbers(value, name, what), name, None
        try:
            value = np.asarray(value)
        except Exception as reason:  # the library of `value` may raise any exception
            raise ArgumentError(f"{what}: {type(value).__name__} cannot be converted to an array: {reason}") from None
    found = value.dtype.name if value.dtype.isnative else f"{value.dtype.str}, not in the byte order of this machine"
    if found == "bfloat16" or (name == "bfloat16" and found == "uint16"):
        return value.view(np.uint16), "bfloat16", None
    return value, found, None


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
