"""Element types: their names in libraries, and their representation in numpy.

numpy has no bfloat16. The 16 bits of each bfloat16 are stored as an element of an array of uint16, or of
ml_dtypes.bfloat16 if a program uses that package. To compute with such numbers, programs convert them to float32, which
represents each bfloat16 exactly.
"""
from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# The names of element types by their number in enum heddle_type, the numbers by name, and the types of numpy arrays.
NAMES = {1: "float32", 2: "float64", 3: "float16", 4: "bfloat16", 5: "int64", 6: "int32", 7: "int8", 8: "bool"}
NUMBERS = {name: number for number, name in NAMES.items()}  # enum heddle_type
MEMORY = {name: np.dtype("uint16" if name == "bfloat16" else name) for name in NUMBERS}


def from_bfloat16(bits: Any) -> Array:
    """Converts bfloat16 bits to numbers, as float32."""
    return (np.asarray(bits).view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def to_bfloat16(numbers: Any) -> Array:
    """Returns the bits, as uint16, of the bfloat16 nearest to each number, ties to even; NaN stays NaN."""
    single = np.asarray(numbers, np.float32, order="C")
    bits = single.view(np.uint32)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1))) >> 16
    return np.where(np.isnan(single), (bits >> 16) | 0x40, rounded).astype(np.uint16)
