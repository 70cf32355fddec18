"""Shares memory with other frameworks by DLPack: reads their tensors, and exports memory of devices.

numpy.from_dlpack supports neither bfloat16 nor, in older versions, read-only memory. Therefore this file reads the
struct DLTensor directly.
"""
from __future__ import annotations

import ctypes
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

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


class _Managed(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_NAME, _USED = b"dltensor", b"used_dltensor"  # the names of capsules before and after a consumer has taken the tensor


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
        raise ArgumentError(f"{what}: expected memory of the host: {reason}") from None


def is_on_host(place: Tuple[int, int]) -> bool:
    return place[0] in _HOST


def read(value: Any, what: str, **arguments: Any) -> Foreign:
    """Returns a description of a tensor. `arguments` are passed to its method __dlpack__; `what` names the tensor in
    errors."""
    try:
        capsule = value.__dlpack__(**arguments)
        if _is_valid(capsule, _USED):
            raise ValueError("its capsule was consumed before")
        # The capsule still owns the tensor: deleting the capsule frees the tensor.
        tensor = _Tensor.from_address(_pointer(capsule, _NAME))
    except Exception as reason:
        raise ArgumentError(f"{what}: {type(value).__name__} cannot be exported with DLPack: {reason}") from None
    kind_name = _KINDS.get(tensor.code)
    if kind_name is None or tensor.lanes != 1 or tensor.bits not in (8, 16, 32, 64):
        raise ArgumentError(f"{what}: a tensor of DLPack's type {tensor.code} with {tensor.bits} bits is not supported")
    return Foreign((tensor.device_type, tensor.device_id), (tensor.data or 0) + tensor.byte_offset,
                   tuple(tensor.shape[i] for i in range(tensor.ndim)),
                   tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None,
                   "bool" if kind_name == "bool" else f"{kind_name}{tensor.bits}", capsule)


def view(value: Any, what: str) -> Tuple[Array, str, Any]:
    """Returns a tensor on the host as an array over its memory, the name of its element type (a "bfloat16" array has
    the dtype uint16), and an object that keeps the memory alive. `what` names the tensor in errors."""
    found = read(value, what)
    dtype = np.dtype("uint16" if found.name == "bfloat16" else found.name)
    if 0 in found.shape:
        return np.empty(found.shape, dtype), found.name, found.keeper
    strides = None
    if found.strides is not None:
        strides = tuple(stride * dtype.itemsize for stride in found.strides)
        if min(strides, default=0) < 0:
            raise ArgumentError(f"{what}: a DLPack tensor with negative strides is not supported")
    reach = [(n - 1) * s for n, s in zip(found.shape, strides)] if strides is not None else None
    size = (sum(reach) if reach is not None else (int(np.prod(found.shape)) - 1) * dtype.itemsize) + dtype.itemsize
    memory = (ctypes.c_uint8 * size).from_address(found.address)
    return np.ndarray(found.shape, dtype, memoryview(memory), 0, strides), found.name, found.keeper


# The exported tensors that consumers have not deleted yet, by the addresses of their structs: the struct, the arrays to
# which it points, and the object that keeps the memory alive.
_exported: Dict[int, Any] = {}


def _delete(address: int) -> None:
    _exported.pop(address, None)


def _destroy(capsule: int) -> None:
    if _is_valid_at(capsule, _NAME):  # no consumer has taken the tensor
        _delete(_pointer_at(capsule, _NAME))


# The same functions for a capsule by its address, since the destructor must not create references to the capsule.
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_is_valid_at = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_delete)
_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)
for _function in (_deleter, _destructor):  # consumers may call them while the interpreter deletes this module
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_function))


def export(address: int, shape: Sequence[int], name: str, place: Tuple[int, int], keeper: Any) -> Any:
    """Returns a capsule for a dense tensor at a device address. `keeper` lives until the consumer deletes the tensor."""
    itemsize = np.dtype("uint16" if name == "bfloat16" else name).itemsize
    extents = (ctypes.c_int64 * len(shape))(*shape)
    strides = (ctypes.c_int64 * len(shape))(*(int(np.prod(shape[i + 1:])) for i in range(len(shape))))
    code = next(code for code, kind in _KINDS.items() if name.startswith(kind))
    tensor = _Tensor(address, *place, len(shape), code, 8 * itemsize, 1, extents, strides, 0)
    managed = _Managed(tensor, None, ctypes.cast(_deleter, ctypes.c_void_p))
    _exported[ctypes.addressof(managed)] = managed, extents, strides, keeper
    return _new(ctypes.addressof(managed), _NAME, ctypes.cast(_destructor, ctypes.c_void_p))
