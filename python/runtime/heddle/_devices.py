"""Devices that models run on, opened once for all models of a process."""
from __future__ import annotations

import ctypes
import threading
from typing import Dict, Optional

from . import _native
from .errors import LoadError

_lock = threading.Lock()
_open: Dict[str, int] = {}  # for each name, the address of the opened struct heddle_device


def device(name: str) -> int:
    """Returns the address of a struct heddle_device, which stays open. `name` is as in heddle_device_open, such
    as "vulkan" or "vulkan:1"."""
    with _lock:
        found: Optional[int] = _open.get(name)
        if found is None:
            error = ctypes.create_string_buffer(_native.ERROR_SIZE)
            found = _native.library.heddle_device_open(name.encode(), error, len(error))
            if not found:
                raise LoadError(f"device {name!r}: {_native.text(error.value)}")
            _open[name] = found
        return found
