"""Converts tensors of other frameworks to numpy arrays over the same memory, with DLPack.

numpy.from_dlpack supports neither bfloat16 nor, in older versions, read-only memory. Therefore this file reads the
struct DLTensor directly.
"""
from __future__ import annotations

import ctypes
from typing import Any, Tuple

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


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def speaks_dlpack(value: Any) -> bool:
    """Whether `value` is a tensor that can be exported with DLPack."""
    return hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__")


def view(value: Any, what: str) -> Tuple[Array, str, Any]:
    """Returns a tensor as an array over its memory, the name of its element type (a "bfloat16" array has the dtype
    uint16), and an object that keeps the memory alive. `what` names the tensor in errors."""
    try:
        kind = int(value.__dlpack_device__()[0])
    except Exception as reason:  # the library of `value` may raise any exception for a device without DLPack number
        raise ArgumentError(f"{what}: expected memory of the host: {reason}") from None
    if kind not in _HOST:
        raise ArgumentError(f"{what}: expected memory of the host, found a tensor on {_DEVICES.get(kind, 'a device')}")
    try:
        capsule = value.__dlpack__()
        # The capsule still owns the tensor: deleting the capsule frees the tensor.
        tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    except Exception as reason:
        raise ArgumentError(f"{what}: {type(value).__name__} cannot be exported with DLPack: {reason}") from None
    kind_name = _KINDS.get(tensor.code)
    if kind_name is None or tensor.lanes != 1 or tensor.bits not in (8, 16, 32, 64):
        raise ArgumentError(f"{what}: a tensor of DLPack's type {tensor.code} with {tensor.bits} bits is not supported")
    name = "bool" if kind_name == "bool" else f"{kind_name}{tensor.bits}"
    dtype = np.dtype("uint16" if name == "bfloat16" else name)
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if 0 in shape:
        return np.empty(shape, dtype), name, capsule
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
        if min(strides, default=0) < 0:
            raise ArgumentError(f"{what}: a DLPack tensor with negative strides is not supported")
    reach = [(n - 1) * s for n, s in zip(shape, strides)] if strides is not None else None
    size = (sum(reach) if reach is not None else (int(np.prod(shape)) - 1) * dtype.itemsize) + dtype.itemsize
    memory = (ctypes.c_uint8 * size).from_address(tensor.data + tensor.byte_offset)
    return np.ndarray(shape, dtype, memoryview(memory), 0, strides), name, capsule
