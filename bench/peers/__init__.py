"""A module for each peer of Heddle. Its function `prepare(work, threads)` returns a Contestant, which computes the
work."""
import dataclasses
from typing import Callable


@dataclasses.dataclass
class Contestant:
    call: Callable[[], None]            # computes once, on bound inputs
    outputs: Callable[[], dict]         # the last call's outputs by name, as numpy arrays
    loop: Callable[[int], None] = None  # n calls in a row, if the peer has a faster loop than Python's
    facts: dict = dataclasses.field(default_factory=dict)  # further figures for the record
