"""A module for each peer of Heddle. Its function `prepare(work, threads)` returns a Contestant, which computes the
work."""
import dataclasses
from typing import Callable


@dataclasses.dataclass
class Contestant:
    call: Callable[[], None]            # computes the work once, on bound inputs
    outputs: Callable[[], dict]         # the last call's outputs by name, as numpy arrays
    loop: Callable[[int], None] = None  # makes n calls; None: a loop in Python does
    facts: dict = dataclasses.field(default_factory=dict)  # further figures for the record
