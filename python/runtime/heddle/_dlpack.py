"""Shares memory with other frameworks by DLPack: reads their tensors, and exports memory of devices.

numpy.from_dlpack supports neither bfloat16 nor, in older versions, read-only memory. Therefore this file reads the
struct DLTensor directly.
"""
from __future__ import annotations

import ctypes
import math
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._types import Array
from .errors import ArgumentError

_HOST = (1, 3)  # the device types whose memory the host can read: kDLCPU, kDLCUDAHost
# The names of other device types in errors.
_DEVICES = {2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 13: "cuda (managed)", 14: "oneapi"}
# DLPack's codes of types; the number of bits completes the name.
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h, the first member of DLManagedTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned of dlpack.h."""
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
# The names of capsules: with a struct DLManagedTensor, whose first member is a DLTensor, or with a struct that has a
# version. A consumer that has taken the tensor puts "used_" before the name.
_NAME, _VERSIONED_NAME = b"dltensor", b"dltensor_versioned"
_VERSION = (1, 0)  # the version of the struct that this file can read
_READ_ONLY, _IS_COPIED = 1, 2  # DLPACK_FLAG_BITMASK_*: flags of the struct that has a version


class Foreign(NamedTuple):
    """A tensor of another framework.

    place: DLPack's numbers of the kind and of the number of the device.
    strides: in elements; None: the elements are dense and row-major.
    name: the element type.
    keeper: an object that keeps the memory alive.
    """
    place: Tuple[int, int]
    address: int
    shape: Tuple[int, ...]
    strides: Optional[Tuple[int, ...]]
    name: str
    keeper: Any


def speaks_dlpack(value: Any) -> bool:
    """Whether `value` is a tensor that can be exported with DLPack."""
    return hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__")


def device_name(place: Tuple[int, int]) -> str:
    """Returns the name of a device, such as "cuda:1"."""
    name = _DEVICES.get(place[0])
    return f"{name}:{place[1]}" if name else "a device"


def place_of(value: Any, what: str) -> Tuple[int, int]:
    """Returns DLPack's numbers of the device of a tensor. `what` names the tensor in errors."""
    try:
        kind, number = value.__dlpack_device__()
        return int(kind), int(number)
    except Exception as reason:  # the library of `value` may raise any exception for a device without DLPack number
        raise ArgumentError(f"{what}: {type(value).__name__} does not tell its device by DLPack: {reason}") from None


def is_on_host(place: Tuple[int, int]) -> bool:
    return place[0] in _HOST


def read(value: Any, what: str, is_written: bool, **arguments: Any) -> Foreign:
    """Returns a description of a tensor, to which the caller will write if `is_written`. `arguments` are passed to its
    method __dlpack__; `what` names the tensor in errors."""
    try:
        # The capsule still owns the tensor: deleting the capsule frees the tensor.
        capsule, tensor, flags = _export_of(value, is_written, arguments)
        if tensor.ndim < 0 or (tensor.ndim > 0 and not tensor.shape) or min(tensor.shape[:tensor.ndim], default=0) < 0:
            raise ValueError("its capsule has no valid shape")
    except Exception as reason:  # the library of `value` may raise any exception
        raise ArgumentError(f"{what}: {type(value).__name__} cannot be exported with DLPack: {reason}") from None
    if is_written and flags & (_READ_ONLY | _IS_COPIED):
        raise ArgumentError(f"{what}: expected memory to write to, found "
                            + ("a tensor that may only be read" if flags & _READ_ONLY else "a copy of the tensor"))
    kind_name = _KINDS.get(tensor.code)
    if kind_name is None or tensor.lanes != 1 or tensor.bits not in (8, 16, 32, 64):
        raise ArgumentError(f"{what}: a tensor of DLPack's type {tensor.code} with {tensor.bits} bits is not supported")
    return Foreign((tensor.device_type, tensor.device_id), (tensor.data or 0) + tensor.byte_offset,
                   tuple(tensor.shape[i] for i in range(tensor.ndim)),
                   tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None,
                   "bool" if kind_name == "bool" else f"{kind_name}{tensor.bits}", capsule)


def _export_of(value: Any, is_written: bool, arguments: Mapping[str, Any]) -> Tuple[Any, _Tensor, int]:
    """Returns the capsule of a tensor, its struct, and its flags. Only structs that have a version have flags, so such a
    struct is asked for if the flags matter; older libraries do not know the argument."""
    capsule = None
    if is_written:
        try:
            capsule = value.__dlpack__(max_version=_VERSION, **arguments)
        except TypeError:
            pass
    if capsule is None:
        capsule = value.__dlpack__(**arguments)
    if _is_valid(capsule, b"used_" + _NAME) or _is_valid(capsule, b"used_" + _VERSIONED_NAME):
        raise ValueError("its capsule was consumed before")
    if not _is_valid(capsule, _VERSIONED_NAME):
        return capsule, _Tensor.from_address(_pointer(capsule, _NAME)), 0
    versioned = _Versioned.from_address(_pointer(capsule, _VERSIONED_NAME))
    if versioned.major != _VERSION[0]:
        raise ValueError(f"its capsule has version {versioned.major}.{versioned.minor} of DLPack")
    return capsule, versioned.tensor, versioned.flags


def view(value: Any, what: str, is_written: bool) -> Tuple[Array, str]:
    """Returns a tensor on the host as an array over its memory, which keeps the memory alive, and the name of its
    element type (a "bfloat16" array has the dtype uint16). The caller will write to the array if `is_written`. `what`
    names the tensor in errors."""
    found = read(value, what, is_written)
    dtype = np.dtype("uint16" if found.name == "bfloat16" else found.name)
    if 0 in found.shape:
        return np.empty(found.shape, dtype), found.name
    strides = None
    if found.strides is not None:
        strides = tuple(stride * dtype.itemsize for stride in found.strides)
        if min(strides, default=0) < 0:
            raise ArgumentError(f"{what}: a DLPack tensor with negative strides is not supported")
    reach = [(n - 1) * s for n, s in zip(found.shape, strides)] if strides is not None else None
    size = (sum(reach) if reach is not None else (int(np.prod(found.shape)) - 1) * dtype.itemsize) + dtype.itemsize
    memory = (ctypes.c_uint8 * size).from_address(found.address)
    memory.keeper = found.keeper  # type: ignore[attr-defined]
    return np.ndarray(found.shape, dtype, memoryview(memory), 0, strides), found.name


class _StandIn(ctypes.Structure):
    """The memory of the array from which numpy makes a capsule, with objects that live until the tensor is deleted."""
    _fields_ = [("element", ctypes.c_uint64)]


def export(address: int, shape: Sequence[int], name: str, place: Tuple[int, int], keeper: Any) -> Any:
    """Returns a capsule for a dense tensor at a device address. `keeper` lives until the consumer deletes the tensor.

    A capsule may be deleted while an exception is pending, and a tensor after the interpreter has ended. Functions of
    Python cannot run then, so the capsule and the function that deletes the tensor are numpy's: numpy exports an array
    of this shape, and the members of the struct that differ are changed."""
    itemsize = np.dtype("uint16" if name == "bfloat16" else name).itemsize
    held = _StandIn()
    array: Array = np.ndarray(shape, f"uint{8 * itemsize}", held, strides=(0,) * len(shape))  # type: ignore[call-overload]
    strides = (ctypes.c_int64 * len(shape))(*(math.prod(shape[i + 1:]) for i in range(len(shape))))
    held.keeper = keeper, strides  # type: ignore[attr-defined]
    capsule = array.__dlpack__()
    tensor = _Tensor.from_address(_pointer(capsule, _NAME))
    tensor.data, tensor.byte_offset, tensor.strides = address, 0, strides
    tensor.device_type, tensor.device_id = place
    tensor.code = next(code for code, kind in _KINDS.items() if name.startswith(kind))
    return capsule
