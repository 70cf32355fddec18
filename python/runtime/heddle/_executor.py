"""Pools of threads, one for each number of threads, which all models of a process share."""
from __future__ import annotations

import os
import threading
from typing import Dict, Optional

from . import _native
from .errors import ArgumentError, Error

_lock = threading.Lock()
_pools: Dict[int, int] = {}


def physical_cores() -> int:
    """The number of physical cores that this process may run on."""
    return int(_native.library.heddle_physical_cores())


def check(threads: Optional[int]) -> int:
    """How many threads are meant: None is one for each physical core."""
    if threads is None:
        return physical_cores()
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise ArgumentError(f"threads: expected a number from 1 to 1024, found {threads!r}")
    return threads


def pool(threads: int) -> Optional[int]:
    """The pool of so many threads, as a struct heddle_executor *; None, the calling thread alone, for one."""
    if threads == 1:
        return None
    found = _pools.get(threads)
    if found is None:
        with _lock:
            found = _pools.get(threads)
            if found is None:
                found = _native.library.heddle_executor_create(threads)
                if not found:
                    raise Error(f"cannot start {threads} threads")
                # Never destroyed: a call may be under way whenever the process ends.
                _pools[threads] = found
    return found


def _after_fork() -> None:
    """Pools go on in a process that was forked; a thread that held the lock does not."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
