"""Thread pools, one for each number of threads, which all models of a process share."""
from __future__ import annotations

import os
import threading
from typing import Dict, Optional

from . import _native
from .errors import ArgumentError, Error

_lock = threading.Lock()
_pools: Dict[int, int] = {}  # for each number of threads, the address of the struct heddle_executor


def physical_cores() -> int:
    """The number of physical cores that this process may run on."""
    return int(_native.library.heddle_physical_cores())


def check(threads: Optional[int]) -> int:
    """Returns the number of threads for an argument; None means one for each physical core."""
    if threads is None:
        return physical_cores()
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise ArgumentError(f"threads: expected a number from 1 to 1024, found {threads!r}")
    return threads


def pool(threads: int) -> Optional[int]:
    """Returns the pool with this number of threads, as a struct heddle_executor *; None for one thread, the calling
    thread."""
    if threads == 1:
        return None
    found = _pools.get(threads)
    if found is None:
        with _lock:
            found = _pools.get(threads)
            if found is None:
                found = _native.library.heddle_executor_create(threads)
                if not found:
                    raise Error(f"cannot start {threads} threads: the limit on threads or the available memory is "
                                "too small")
                # Pools are never destroyed: a call may be in progress when the process ends.
                _pools[threads] = found
    return found


def _after_fork() -> None:
    """Replaces the lock in a forked process, where the thread that held it does not exist. Pools keep working."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
