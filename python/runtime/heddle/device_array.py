"""Arrays in the memory of a device."""
from __future__ import annotations

import math
import weakref
from typing import Any, Optional, Sequence, Set, Tuple

import numpy as np

from . import _dlpack, _types
from ._devices import Device, Memory
from ._types import Array
from .errors import ArgumentError


class _Export:
    """Keeps the memory of an array alive until a consumer of DLPack deletes its tensor."""

    def __init__(self, memory: Optional[Memory], keeper: Any):
        self._memory, self._keeper = memory, keeper


class DeviceArray:
    """A dense, row-major array in the memory of a device: an output of a call, which later calls can read without a
    copy through the host. The memory is freed when neither this object nor an object made from it refers to it.

    An array on a CUDA device supports DLPack: torch.from_dlpack(array) and cupy.from_dlpack(array) make tensors over
    the same memory. A call has written all elements when it returns the array. When a consumer gets a tensor, earlier
    work in tensors over the same memory is done, unless the consumer passes -1 as its stream.

    shape: the number of elements in each dimension.
    dtype: numpy's name of the element type, or "bfloat16".
    device: the name of the device, such as "cuda:0".
    """

    def __init__(self, shape: Sequence[int], dtype: str, device: Device, memory: Optional[Memory], keeper: Any = None):
        self.shape: Tuple[int, ...] = tuple(shape)
        self.dtype = dtype
        self._device, self._memory = device, memory  # the memory is None if there are no elements
        self._keeper = keeper  # keeps memory alive that other code has allocated
        self._exports: Set[Any] = set()  # references to the _Export objects whose code may have work with the memory

    @classmethod
    def allocate(cls, shape: Sequence[int], dtype: str, device: Device, what: str) -> "DeviceArray":
        """Allocates an array, which `what` names in errors."""
        size = math.prod(shape) * _types.MEMORY[dtype].itemsize
        return cls(shape, dtype, device, device.allocate(size, what) if size else None)

    @property
    def device(self) -> str:
        return self._device.name

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * _types.MEMORY[self.dtype].itemsize

    def numpy(self) -> Array:
        """Returns a copy on the host; bfloat16 becomes float32."""
        host = np.empty(self.shape, _types.MEMORY[self.dtype])
        if self._memory is not None:
            self._finish_other_work("DeviceArray")
            self._device.download(self._memory, host.ctypes.data, host.nbytes, "DeviceArray")
        return _types.from_bfloat16(host) if self.dtype == "bfloat16" else host

    def _overlaps(self, other: "DeviceArray") -> bool:
        """Whether two arrays on the same device have elements at the same addresses."""
        if self._memory is None or other._memory is None:
            return False
        one, another = self._memory.address, other._memory.address
        if one is None or another is None:  # no other code has a tensor over one of the allocations
            return self._memory is other._memory
        return one < another + other.nbytes and another < one + self.nbytes

    def _finish_other_work(self, what: str) -> None:
        """Waits for work of other code that may use the memory."""
        if self._exports:
            ended = {export for export in tuple(self._exports) if export() is None}
            self._device.wait(0, what)
            self._exports -= ended  # the others may enqueue more work

    def __dlpack_device__(self) -> Tuple[int, int]:
        if self._device.dlpack is None:
            raise BufferError(f"{self._device.unshared}; numpy() makes a copy on the host")
        return self._device.dlpack

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        """Returns a DLPack capsule over the same memory. The consumer's stream need not wait: all work that uses the
        memory is done, unless `stream` is -1 (DLPack's number for a consumer that orders the work itself)."""
        own = self.__dlpack_device__()
        if copy or (dl_device is not None and tuple(dl_device) != own):
            raise BufferError(f"an array on {self.device} can be shared only there and without a copy; numpy() makes a "
                              "copy on the host")
        address = self._device.share(self._memory, "DeviceArray") if self._memory is not None else 0
        if stream != -1:
            self._finish_other_work("DeviceArray")
        export = _Export(self._memory, self._keeper)
        self._exports.add(weakref.ref(export))
        return _dlpack.export(address, self.shape, self.dtype, own, export)

    def __array__(self, *unused: Any, **named: Any) -> Any:
        raise TypeError(f"an array on {self.device} is not converted to numpy implicitly; numpy() makes a copy on the host")

    def __reduce__(self) -> Any:
        raise ArgumentError(f"an array on {self.device} cannot be copied or pickled; numpy() makes a copy on the host")

    def __repr__(self) -> str:
        return f"<heddle.DeviceArray {self.dtype}{list(self.shape)} on {self.device}>"
