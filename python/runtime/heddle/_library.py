"""A loaded library and the initialised model in it: resources that must be freed, in order."""
from __future__ import annotations

import ctypes
import os
import threading
from typing import Dict, List, Optional, Tuple

from . import _native
from .errors import ClosedError, Error, LoadError

_lock = threading.Lock()
# For each path, the identity of the loaded file and the number of its users.
_loaded: Dict[str, Tuple[Tuple[int, ...], int]] = {}


def _enter(path: str) -> None:
    """Adds a user of the library `path`. Raises LoadError if the file was replaced since it was loaded: the dynamic
    linker, which compares names, would return the library that is already loaded."""
    try:
        status = os.stat(path)
    except OSError as reason:
        raise LoadError(f"{path}: {reason.strerror}") from None
    file = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    with _lock:
        known, count = _loaded.get(path, (file, 0))
        if known != file:
            raise LoadError(f"{path}: was loaded before and has changed since; close the models that use the loaded "
                            "file first, or give the new file another name")
        _loaded[path] = (file, count + 1)


def _leave(path: str) -> None:
    """Removes a user of the library `path`."""
    with _lock:
        known, count = _loaded[path]
        if count > 1:
            _loaded[path] = (known, count - 1)
        else:
            del _loaded[path]


class Handles:
    """The library, the instance of its model, and structs heddle_call, each with an arena.

    One thread at a time uses a heddle_call. `take` returns an idle heddle_call or creates a new one, and `give` makes
    it idle again, so their number is the largest number of concurrent calls so far.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.library: Optional[int] = None
        self.instance: Optional[int] = None
        self._idle: List[int] = []
        self._busy = 0  # number of heddle_calls that threads use now
        self._closed = False
        self._change = threading.Condition(threading.Lock())
        _enter(path)
        error = ctypes.create_string_buffer(_native.ERROR_SIZE)
        self.library = _native.library.heddle_library_open(os.fsencode(path), error, len(error))
        if not self.library:
            self.close()
            raise LoadError(_native.text(error.value))
        self.model = _native.library.heddle_library_model(self.library)

    def initialise(self, variant: Optional[str], weights: Optional[str], device: Optional[int]) -> None:
        """Creates the instance. `device` is the address of a struct heddle_device. For each argument, None selects the
        default of heddle_instance_create."""
        options = _native.InstanceOptions(ctypes.sizeof(_native.InstanceOptions))
        options.variant = variant.encode() if variant else None
        options.weights_path = os.fsencode(weights) if weights else None
        options.device = device
        error = ctypes.create_string_buffer(_native.ERROR_SIZE)
        self.instance = _native.library.heddle_instance_create(self.model, ctypes.byref(options), error, len(error))
        if not self.instance:
            self.close()
            raise LoadError(f"{self.path}: {_native.text(error.value)}")

    def take(self) -> int:
        """Returns a heddle_call for the calling thread. Raises ClosedError after close()."""
        with self._change:
            if self._closed:
                raise ClosedError(f"{self.path}: the model was closed")
            self._busy += 1
            if self._idle:
                return self._idle.pop()
        call = _native.library.heddle_call_create(self.instance)
        if not call:
            self.give(None)
            raise Error("out of memory")
        return int(call)

    def give(self, call: Optional[int]) -> None:
        """Ends the use of a heddle_call that `take` returned; None if `take` could not create it."""
        with self._change:
            self._busy -= 1
            if call:
                self._idle.append(call)
            if self._closed:
                self._change.notify_all()

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Waits until no call is in progress, and frees everything. Later calls of `take` raise ClosedError."""
        with self._change:
            if self._closed:
                return
            self._closed = True
            while self._busy:
                self._change.wait()
            for call in self._idle:
                _native.library.heddle_call_destroy(call)
            self._idle.clear()
            if self.instance:
                _native.library.heddle_instance_destroy(self.instance)
            if self.library:
                _native.library.heddle_library_close(self.library)
            _leave(self.path)
