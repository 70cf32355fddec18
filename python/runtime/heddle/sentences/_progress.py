"""A progress bar: from tqdm if it is installed, otherwise a line on stderr if stderr is a terminal."""
from __future__ import annotations

import contextlib
import sys
from typing import Callable, Iterator


@contextlib.contextmanager
def progress(total: int, show: bool) -> Iterator[Callable[[int], None]]:
    """Yields a function that the caller calls with the number of texts that it has finished since the last call."""
    if not show:
        yield lambda count: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        pass
    else:
        with tqdm(total=total, unit=" texts") as bar:
            yield lambda count: bar.update(count) and None
        return
    finished = 0

    def advance(count: int) -> None:
        nonlocal finished
        finished += count
        if sys.stderr.isatty():
            print(f"\r{finished} of {total} texts", end="", file=sys.stderr, flush=True)

    try:
        yield advance
    finally:
        if finished and sys.stderr.isatty():
            print(file=sys.stderr)
