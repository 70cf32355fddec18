"""Calls a library that heddle compiled, through the functions in caller.c, which are compiled here with the headers of
this checkout."""
import ctypes
import os
import pathlib
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).parent
# The numpy types in the order of enum heddle_type; "" for types that numpy lacks.
TYPES = ["", "float32", "float64", "float16", "", "int64", "int32", "int8", "bool"]
GUARD = 64 # the number of bytes after an output to which a call must not write


def build_caller(heddle, device, folder):
    """Builds caller.c as a shared object in `folder` and returns its path. For a device, the shared object also
    contains the runtime from the build folder of the program `heddle`."""
    runtime = HERE.parents[1] / "runtime"
    sources = [runtime / "elf.c", runtime / "library.c", runtime / "model.c"]
    words = []
    if device != "cpu":
        archive = pathlib.Path(heddle).resolve().parents[1] / "runtime" / "libheddle.a"
        sources, words = [archive, "-lstdc++", "-lpthread"], ["-DSIZES_WITH_DEVICES"]
    target = pathlib.Path(folder) / f"caller-{'cpu' if device == 'cpu' else 'device'}.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", *words, "-I", runtime / "include",
                    HERE / "caller.c", *sources, "-ldl", "-o", target], check=True)
    return target


class Library:
    """A compiled library that is loaded into this process. `caller` is the path that build_caller returned, and `path`
    is the path of the library. Raises RuntimeError if the library cannot be loaded."""

    def __init__(self, caller, path):
        functions = self.functions = ctypes.CDLL(str(caller))
        functions.caller_open.restype = ctypes.c_void_p
        functions.caller_output_extent.restype = ctypes.c_int64
        for name in ("caller_size_name", "caller_input_name", "caller_run"):
            getattr(functions, name).restype = ctypes.c_char_p
        error = ctypes.create_string_buffer(b"the library could not be initialised", 512)
        handle = functions.caller_open(os.fsencode(path), error, ctypes.c_size_t(len(error)))
        if not handle:
            raise RuntimeError(error.value.decode())
        self.handle = ctypes.c_void_p(handle)
        self.size_names = self._names(functions.caller_size_name)
        self.input_names = self._names(functions.caller_input_name)
        self.dtype = np.dtype(TYPES[functions.caller_output_type(self.handle)])

    def _names(self, function):
        """Returns function(0), function(1), ... up to the first NULL."""
        found = []
        while (name := function(self.handle, ctypes.c_uint64(len(found)))) is not None:
            found.append(name.decode())
        return found

    def run(self, sizes, inputs):
        """Calls the model, and returns its first output. `sizes` and `inputs` map names to numbers and to arrays.
        Raises RuntimeError if the library does not give the shape of the output for these sizes, or if the call fails or
        writes beyond the end of the output."""
        numbers = (ctypes.c_size_t * max(len(self.size_names), 1))(*(sizes[name] for name in self.size_names))
        shape = [self.functions.caller_output_extent(self.handle, ctypes.c_uint32(dim), numbers)
                 for dim in range(self.functions.caller_output_rank(self.handle))]
        if -1 in shape:
            raise RuntimeError(f"the library gives the output the shape {shape}")
        arrays = [np.ascontiguousarray(inputs[name]) for name in self.input_names]
        pointers = (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))
        length = int(np.prod(shape, dtype=np.float64)) * self.dtype.itemsize
        room = np.full(length + GUARD, 0xcd, np.uint8)
        status = self.functions.caller_run(self.handle, numbers, pointers, ctypes.c_void_p(room.ctypes.data))
        if status is not None:
            raise RuntimeError(status.decode())
        if np.any(room[length:] != 0xcd):
            raise RuntimeError("a call writes beyond the end of its output")
        return room[:length].view(self.dtype).reshape(shape)
