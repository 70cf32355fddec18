"""libheddle, Heddle's runtime, as ctypes declarations of the structs and functions that <heddle/*.h> documents."""
from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from .errors import Error

OPTIONAL, RANGE = 1, 2  # enum heddle_tensor_flags
OK, INVALID_ARGUMENT, INDEX_OUT_OF_RANGE = 0, 1, 2  # enum heddle_status


class Expression(ctypes.Structure):
    """struct heddle_expression"""
    _fields_ = [("code", POINTER(c_int64)), ("words", c_uint64)]


class Size(ctypes.Structure):
    """struct heddle_size"""
    _fields_ = [("name", c_char_p), ("low", c_int64), ("high", c_int64), ("class_count", c_uint64),
                ("classes", POINTER(c_int64))]


class Tensor(ctypes.Structure):
    """struct heddle_tensor"""
    _fields_ = [("name", c_char_p), ("type", c_uint32), ("rank", c_uint32), ("shape", POINTER(c_int64)),
                ("extents", POINTER(Expression)), ("flags", c_uint64), ("low", c_int64), ("high", c_int64),
                ("default_value", c_int64), ("format", c_uint32), ("state", c_uint32)]


class StateMemory(ctypes.Structure):
    """struct heddle_state_memory"""
    _fields_ = [("memory", c_void_p), ("size", c_size_t)]


class State(ctypes.Structure):
    """struct heddle_state"""
    _fields_ = [("name", c_char_p), ("tensor_count", c_uint64), ("tensors", POINTER(Tensor)),
                ("offsets", POINTER(Expression)), ("batch_size", Expression), ("capacity", Expression),
                ("rows", Expression), ("filled", Expression), ("past", c_uint64),
                ("size", ctypes.CFUNCTYPE(c_size_t, POINTER(c_size_t))),
                ("init", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(StateMemory), POINTER(c_size_t))),
                ("copy", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(StateMemory), c_size_t, c_size_t)),
                ("deinit", ctypes.CFUNCTYPE(None, c_void_p, POINTER(StateMemory))),
                ("device_memory", ctypes.CFUNCTYPE(c_void_p, POINTER(StateMemory)))]


class Variant(ctypes.Structure):
    """struct heddle_variant"""
    _fields_ = [("name", c_char_p), ("target", c_char_p)]


class Model(ctypes.Structure):
    """struct heddle_model up to the member stack_size. The later members, which only the runtime uses, are left
    out."""
    _fields_ = [
        ("abi", c_uint32), ("struct_size", c_uint32), ("strides", c_uint32 * 5), ("reserved", c_uint32),
        ("needs", c_uint64), ("name", c_char_p), ("source", c_char_p), ("device", c_char_p),
        ("variant_count", c_uint64), ("variants", POINTER(Variant)), ("size_count", c_uint64), ("sizes", POINTER(Size)),
        ("input_count", c_uint64), ("output_count", c_uint64), ("inputs", POINTER(Tensor)), ("outputs", POINTER(Tensor)),
        ("format_count", c_uint64), ("formats", c_void_p), ("state_count", c_uint64), ("states", POINTER(State)),
        ("weights_size", c_uint64), ("stack_size", c_uint64),
    ]


class InstanceOptions(ctypes.Structure):
    """struct heddle_instance_options"""
    _fields_ = [("struct_size", c_uint64), ("variant", c_char_p), ("weights_path", c_char_p), ("weights", c_void_p),
                ("weights_size", c_size_t), ("device", c_void_p)]


class Place(ctypes.Structure):
    """struct heddle_place"""
    _fields_ = [("host", c_void_p), ("memory", c_void_p), ("offset", c_uint64)]


class Array(ctypes.Structure):
    """struct heddle_array"""
    _fields_ = [("name", c_char_p), ("type", c_uint32), ("rank", c_uint32), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("place", Place)]


def _function(*arguments: Any) -> Any:
    """Returns the type of a function of struct heddle_device with these arguments after `self`."""
    return ctypes.CFUNCTYPE(c_int, c_void_p, *arguments)


class Device(ctypes.Structure):
    """struct heddle_device. The functions that only compiled models call are pointers without a type."""
    _fields_ = [("self", c_void_p), ("size", c_uint64), ("name", c_char_p), ("description", c_char_p),
                ("driver", c_char_p), ("format", c_char_p), ("features", c_uint64), ("limits", c_void_p),
                ("allocate", _function(c_uint64, POINTER(c_void_p))),
                ("release", ctypes.CFUNCTYPE(None, c_void_p, c_void_p)), ("upload", c_void_p),
                ("download", _function(c_void_p, c_uint64, c_void_p, c_uint64)),
                ("load", c_void_p), ("unload", c_void_p), ("record", c_void_p), ("forget", c_void_p),
                ("replay", c_void_p), ("error", ctypes.CFUNCTYPE(c_char_p, c_void_p)), ("close", c_void_p),
                ("record_timed", c_void_p), ("times", c_void_p), ("save_cache", c_void_p), ("restore_cache", c_void_p),
                ("replay_with", c_void_p), ("wrap", _function(c_uint64, c_uint64, POINTER(c_void_p))),
                ("address", _function(c_void_p, POINTER(c_uint64))), ("stream", _function(POINTER(c_uint64))),
                ("wait", _function(c_uint64))]


# For each function of libheddle, the type of its result and the types of its arguments.
FUNCTIONS = {
    "heddle_library_open": (c_void_p, [c_char_p, c_char_p, c_size_t]),
    "heddle_library_model": (POINTER(Model), [c_void_p]),
    "heddle_library_close": (None, [c_void_p]),
    "heddle_instance_create": (c_void_p, [POINTER(Model), POINTER(InstanceOptions), c_char_p, c_size_t]),
    "heddle_instance_state": (c_void_p, [c_void_p]),
    "heddle_instance_variant": (c_char_p, [c_void_p]),
    "heddle_instance_destroy": (None, [c_void_p]),
    "heddle_call_create": (c_void_p, [c_void_p]),
    "heddle_call_destroy": (None, [c_void_p]),
    "heddle_call_set_size": (c_int, [c_void_p, c_char_p, c_size_t]),
    "heddle_call_bind": (c_int, [c_void_p, POINTER(Array), c_size_t]),
    "heddle_call_sizes": (POINTER(c_size_t), [c_void_p]),
    "heddle_call_output_shape": (POINTER(c_int64), [c_void_p, c_size_t]),
    "heddle_call_run": (c_int, [c_void_p, POINTER(Array), c_size_t, c_void_p]),
    "heddle_call_error": (c_char_p, [c_void_p]),
    "heddle_status_words": (c_char_p, [c_int]),
    "heddle_infer_sizes": (c_int, [POINTER(Model), POINTER(Array), c_size_t, POINTER(c_size_t), c_char_p, c_size_t]),
    "heddle_executor_create": (c_void_p, [c_size_t]),
    "heddle_physical_cores": (c_size_t, []),
    "heddle_device_open": (c_void_p, [c_char_p, c_char_p, c_size_t]),
    "heddle_device_close": (None, [c_void_p]),
}
ERROR_SIZE = 1024  # size of a buffer for error messages
SIZE_MAX = (1 << (8 * ctypes.sizeof(c_size_t))) - 1


def path() -> pathlib.Path:
    """Returns the path of libheddle: the environment variable HEDDLE_RUNTIME, or else the file in this package."""
    told = os.environ.get("HEDDLE_RUNTIME")
    return pathlib.Path(told) if told else pathlib.Path(__file__).with_name("libheddle.so")


def _load() -> ctypes.CDLL:
    try:
        # ctypes releases the global interpreter lock during every call of a CDLL function.
        library = ctypes.CDLL(str(path()))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as reason:
        raise Error(f"heddle's runtime cannot be loaded: {reason}") from None
    return library


library = _load()


def text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
