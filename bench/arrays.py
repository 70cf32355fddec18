"""Arrays that start at a cache line, like those of torch and ONNX Runtime. Large arrays of numpy start 16 bytes after
one."""
import numpy as np

LINE = 64


def empty(shape, dtype):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start:start + size].view(dtype).reshape(shape)


def copy(array):
    result = empty(array.shape, array.dtype)
    result[...] = array
    return result
