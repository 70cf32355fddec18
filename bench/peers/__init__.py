"""A module for each peer, a program that is measured alongside Heddle. The module's function `prepare(work, threads)`
returns a Contestant, which computes `work` (a Work of works/__init__.py: the model or operation that is timed, with its
inputs). The module heddle does the same for Heddle itself. `prepare` of heddle and of openvino_int8 has further
parameters."""
import dataclasses
from typing import Callable


@dataclasses.dataclass
class Contestant:
    """Heddle or a peer, prepared for one work."""
    call: Callable[[], None]            # computes the work once, on bound inputs
    outputs: Callable[[], dict]         # the last call's outputs by name, as numpy arrays
    loop: Callable[[int], None] = None  # makes n calls; None: a Python loop around `call` is used instead
    facts: dict = dataclasses.field(default_factory=dict)  # further numbers for the record, such as the compile time
