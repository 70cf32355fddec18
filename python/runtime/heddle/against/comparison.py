"""Compares a result of a compiled model with the result of another engine."""
from __future__ import annotations

import dataclasses
from typing import Optional

import numpy as np

from .._types import Array

# The bound for f32, as in `heddle verify`: four times the error of f32 itself, plus a millionth of the largest result.
ERRORS, PART = 4, 1e-6


@dataclasses.dataclass
class Expected:
    """The result of an engine for one output.

    reference: in f64, or in f32 if the engine does not compute in f64.
    single: in f32; None if `reference` is in f32.
    """
    reference: Array
    single: Optional[Array] = None


@dataclasses.dataclass
class Verdict:
    """The outcome of a comparison."""
    error: float  # the largest difference of elements that are finite in both results
    bound: float  # the largest accepted `error`
    why: str  # how the bound was computed, as text for a message
    wrong: Optional[str] = None  # another reason why the result is wrong, such as its shape

    @property
    def ok(self) -> bool:
        return self.wrong is None and self.error <= self.bound  # false for NaN

    def __str__(self) -> str:
        end = self.wrong or ("" if self.ok else f"max abs error {self.error:.3g} exceeds the bound")
        return (f"max abs error {self.error:.3g}, bound {self.bound:.3g} ({self.why}): "
                + ("ok" if self.ok else f"FAIL: {end}"))


def _difference(a: Array, b: Array) -> float:
    """Returns the largest difference of elements that are finite in both arrays."""
    finite = np.isfinite(b) & np.isfinite(a)
    return float(np.max(np.abs(a[finite].astype(np.float64) - b[finite]), initial=0))


def compare(found: Array, expected: Expected, tolerance: Optional[float], default: float) -> Verdict:
    """Compares a result with an engine's results. `tolerance` is the tolerance that the user has set, if any, and
    `default` the tolerance for an engine without f64; both are relative to the largest result."""
    reference = np.asarray(expected.reference, np.float64)
    if found.shape != reference.shape:
        return Verdict(np.nan, 0, "-", f"its shape is {list(found.shape)}, expected {list(reference.shape)}")
    found = found.astype(np.float64)
    largest = float(np.max(np.abs(reference[np.isfinite(reference)]), initial=0))
    if tolerance is None and expected.single is not None:
        own = _difference(np.asarray(expected.single), reference)
        bound, why = ERRORS * own + PART * largest, f"{ERRORS} x {own:.3g} of the engine's f32 + {PART:g} x {largest:.3g}"
    else:
        relative = default if tolerance is None else tolerance
        bound, why = relative * largest, f"{relative:g} x {largest:.3g}, as the engine has no f64" if tolerance is None else (
            f"{relative:g} x {largest:.3g}, --tolerance")
    verdict = Verdict(_difference(found, reference), bound, why)
    for kind, test in (("NaN", np.isnan), ("infinity", np.isposinf), ("-infinity", np.isneginf)):
        if not np.array_equal(test(found), test(reference)):
            places = np.argwhere(test(found) != test(reference))
            verdict.wrong = f"{kind} is not in the same places as in the engine's result, first at {places[0].tolist()}"
            break
    return verdict
