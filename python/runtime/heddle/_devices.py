"""Devices that models run on, opened once for all models of a process, and their memory."""
from __future__ import annotations

import ctypes
import threading
from typing import Any, Dict, Optional, Tuple

from . import _native
from .errors import ArgumentError, CallError, LoadError

_CUDA = 2  # DLPack's number of the kind of device


class Memory:
    """A struct heddle_memory, which is released when this object is deleted. `address` is its device address; None:
    other code does not know the address."""

    def __init__(self, device: "Device", handle: int, address: Optional[int] = None):
        self.device, self.handle, self.address = device, handle, address

    def __del__(self) -> None:
        self.device.release(self.handle)


class Device:
    """An opened device, which stays open until the process ends. `pointer` is the address of the struct heddle_device.

    name: such as "cuda:0".
    dlpack: the device as a pair of numbers in DLPack; None: it cannot share memory with other code.
    unshared: the reason why it cannot, in words.

    The functions raise ArgumentError if the device refuses an argument, and CallError if it fails. `what` names the
    tensor in errors.
    """

    def __init__(self, pointer: int):
        self.pointer = pointer
        self._table = ctypes.cast(pointer, ctypes.POINTER(_native.Device)).contents
        self.name = _native.text(self._table.name)
        kind, _, number = self.name.partition(":")
        self.dlpack: Optional[Tuple[int, int]] = None
        self.unshared = f"memory of {self.name} cannot be shared with other code, only memory of CUDA devices can"
        if kind == "cuda":
            # An older runtime's table ends before the functions that share memory.
            if self._table.size >= ctypes.sizeof(_native.Device):
                self.dlpack = _CUDA, int(number)
            else:
                self.unshared = f"memory of {self.name} cannot be shared with other code by this version of libheddle"

    def allocate(self, size: int, what: str) -> Memory:
        """Allocates memory of `size` bytes, at least 1."""
        handle = ctypes.c_void_p()
        self._check(self._table.allocate(self._table.self, size, ctypes.byref(handle)), what)
        return Memory(self, int(handle.value or 0))

    def wrap(self, address: int, size: int, what: str) -> Memory:
        """Returns an object for memory that other code has allocated at a device address, and will free."""
        handle = ctypes.c_void_p()
        self._check(self._table.wrap(self._table.self, address, size, ctypes.byref(handle)), what)
        return Memory(self, int(handle.value or 0), address)

    def release(self, handle: int) -> None:
        self._table.release(self._table.self, handle)

    def download(self, memory: Memory, target: int, size: int, what: str) -> None:
        """Copies the first `size` bytes of the memory to the address `target` on the host."""
        self._check(self._table.download(self._table.self, memory.handle, 0, target, size), what)

    def share(self, memory: Memory, what: str) -> int:
        """Returns the device address of the memory, for other code."""
        if memory.address is None:
            address = ctypes.c_uint64()
            self._check(self._table.address(self._table.self, memory.handle, ctypes.byref(address)), what)
            memory.address = address.value
        return memory.address

    def stream(self, what: str) -> int:
        """Returns the handle of the stream of uploads and downloads. Other code can make it wait for its own work."""
        stream = ctypes.c_uint64()
        self._check(self._table.stream(self._table.self, ctypes.byref(stream)), what)
        return stream.value

    def wait(self, stream: int, what: str) -> None:
        """Waits for all work in a stream; 0: in all streams of the device's context."""
        self._check(self._table.wait(self._table.self, stream), what)

    def _check(self, status: int, what: str) -> None:
        if status == _native.OK:
            return
        message = f"{what}: {_native.text(self._table.error(self._table.self))}"
        raise ArgumentError(message) if status == _native.INVALID_ARGUMENT else CallError(message, status)


_lock = threading.Lock()
_open: Dict[str, Device] = {}  # the opened devices by the names that callers gave


def device(name: str) -> Device:
    """Opens a device. `name` is as in heddle_device_open, such as "vulkan" or "vulkan:1"; names of the same device
    give the same object."""
    with _lock:
        found = _open.get(name)
        if found is None:
            error = ctypes.create_string_buffer(_native.ERROR_SIZE)
            pointer: Any = _native.library.heddle_device_open(name.encode(), error, len(error))
            if not pointer:
                raise LoadError(f"device {name!r}: {_native.text(error.value)}")
            found = Device(pointer)
            for other in _open.values():
                if other.name == found.name:
                    _native.library.heddle_device_close(pointer)
                    found = other
                    break
            _open[name] = found
        return found
