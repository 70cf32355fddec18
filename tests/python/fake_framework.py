"""A framework with tensors on a CUDA device, which it shares by DLPack. The device is that of the fake driver in
tests/runtime/devices, whose folder must be in LD_LIBRARY_PATH. The fake driver executes the work in a stream only when
somebody waits for it."""
import ctypes

import numpy as np

from heddle import _dlpack

CUDA = 2  # DLPack's number of the kind of memory


class Driver:
    """The fake CUDA driver, which this file calls as a framework calls CUDA's driver."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        for name in ("fake_calls", "fake_mistake"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.contexts = {}
        for device in (0, 1):
            self.contexts[device] = ctypes.c_void_p()
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.contexts[device]), device)

    def call(self, function, *arguments):
        """Calls a function of the driver, whose integers and addresses have 64 bits."""
        passed = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
        result = getattr(self.library, function)(*passed)
        if result:
            raise RuntimeError(f"{function}: {result}")

    def inside(self, device, function, *arguments):
        """Calls a function with the primary context of a device."""
        self.call("cuCtxPushCurrent_v2", self.contexts[device])
        try:
            self.call(function, *arguments)
        finally:
            self.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def make(self, device, function, *arguments):
        """Calls a function that stores a handle or an address at its first argument; returns what it stores."""
        made = ctypes.c_uint64()
        self.inside(device, function, ctypes.byref(made), *arguments)
        return made.value

    def calls(self):
        """Returns the names of the functions that were called since the last call of this function."""
        return self.library.fake_calls().decode().split()


class Tensor:
    """A tensor of a framework with its own stream. The framework has enqueued the copy that writes its elements; the
    copy begins when somebody waits for the stream."""

    def __init__(self, array, device=0, offset=0, strides=None, name=None):
        self.array = np.ascontiguousarray(array)
        self.device, self.strides, self.offset = device, strides, offset
        self.name = name or self.array.dtype.name
        size = max(self.array.nbytes, 1)
        self.memory = driver.make(device, "cuMemAlloc_v2", size + offset)
        self.pinned = driver.make(device, "cuMemHostAlloc", size, 0)
        self.stream = driver.make(device, "cuStreamCreate", 0)
        self.event = driver.make(device, "cuEventCreate", 0)
        ctypes.memmove(self.pinned, self.array.ctypes.data, self.array.nbytes)
        if self.array.size:
            driver.inside(device, "cuMemcpyHtoDAsync_v2", self.memory + offset, self.pinned, self.array.nbytes, self.stream)
        self.exports = 0  # the number of capsules that were not deleted yet

    def numpy(self):
        """Returns the elements after all work in the framework's stream."""
        driver.inside(self.device, "cuMemcpyDtoHAsync_v2", self.pinned, self.memory + self.offset, self.array.nbytes,
                      self.stream)
        driver.inside(self.device, "cuStreamSynchronize", self.stream)
        return np.ctypeslib.as_array(ctypes.cast(self.pinned, ctypes.POINTER(ctypes.c_uint8)),
                                     (self.array.nbytes,)).view(self.array.dtype).reshape(self.array.shape).copy()

    def __dlpack_device__(self):
        return CUDA, self.device

    def __dlpack__(self, *, stream):
        driver.inside(self.device, "cuEventRecord", self.event, self.stream)
        driver.inside(self.device, "cuStreamWaitEvent", stream, self.event, 0)
        self.exports += 1
        capsule = _dlpack.export(self.memory + self.offset, self.array.shape, self.name, (CUDA, self.device), Export(self))
        if self.strides:
            for i, stride in enumerate(self.strides):
                tensor_in(capsule).strides[i] = stride
        return capsule

    def free(self):
        driver.inside(self.device, "cuStreamSynchronize", self.stream)
        driver.inside(self.device, "cuStreamDestroy_v2", self.stream)
        driver.inside(self.device, "cuEventDestroy_v2", self.event)
        driver.inside(self.device, "cuMemFreeHost", self.pinned)
        driver.inside(self.device, "cuMemFree_v2", self.memory)

    __del__ = free


class Managed(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""
    _fields_ = [("tensor", _dlpack._Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def tensor_in(capsule):
    """Returns the struct DLTensor in a capsule that no consumer has taken."""
    return _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor"))


def take(capsule):
    """Takes the tensor out of a capsule, as a consumer does."""
    managed = Managed.from_address(_dlpack._pointer(capsule, b"dltensor"))
    ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), b"used_dltensor")
    return managed


def delete(managed):
    """Deletes a tensor that was taken out of a capsule."""
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))


class Export:
    """Keeps a tensor alive until its capsule is deleted."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __del__(self):
        self.tensor.exports -= 1


driver = Driver()
