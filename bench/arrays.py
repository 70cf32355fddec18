"""Makes arrays that start at the beginning of a cache line, like the arrays of torch and ONNX Runtime. (A large array
that numpy makes itself usually starts 16 bytes after the beginning of a cache line.)"""
import numpy as np

LINE = 64  # bytes of a cache line


def empty(shape, dtype):
    """Returns a new array of zeros."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start:start + size].view(dtype).reshape(shape)


def copy(array):
    result = empty(array.shape, array.dtype)
    result[...] = array
    return result
