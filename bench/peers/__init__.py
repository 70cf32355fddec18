"""One module a peer: `prepare(work, threads)` returns a Contestant."""
import dataclasses
from typing import Callable


@dataclasses.dataclass
class Contestant:
    call: Callable[[], None]            # computes once, on bound inputs
    outputs: Callable[[], dict]         # what the last call computed, by name, as numpy arrays
    loop: Callable[[int], None] = None  # n calls in a row, where the peer has something better than Python's loop
    facts: dict = dataclasses.field(default_factory=dict)  # further figures for the record
