"""Verifies one case: compiles it once for its ranges, calls it at every size, and compares each result with numpy."""
import dataclasses
import os
import pathlib
import subprocess

import numpy as np

import onnx_file
from library import Library

COMPILE_SECONDS = 120


@dataclasses.dataclass
class Verdict:
    """The result of a case. `kind` is "right", "refused", "wrong" or "crash" (README.md). `text` is heddle's message if
    the case is refused, otherwise the error; it is empty if the case is right."""
    kind: str
    text: str = ""

    @property
    def fails(self):
        return self.kind in ("wrong", "crash")


def command(heddle, device, case, model, library):
    """Returns the command that compiles the file `model` to the file `library`."""
    dims = [word for name, (low, high) in case.ranges.items()
            for word in ("--dim", f"{name}={low}" if case.fixed else f"{name}={low}..{high}")]
    target = ["--device", device] if device != "cpu" else ["--mcpu", "native"]
    return [str(heddle), "compile", str(model), "-o", str(library), *dims, *target]


def sentence(sizes):
    """Returns the sizes as text, such as "s=3 t=5"."""
    return " ".join(f"{name}={number}" for name, number in sizes.items())


def compare(found, expected, bound):
    """Returns a text that describes the first error in the array `found`, or None if it is right. `bound` is the
    largest accepted error; if it is 0, the elements must be equal."""
    if found.dtype != expected.dtype:
        return f"{found.dtype} instead of {expected.dtype}"
    if found.shape != expected.shape:
        return f"shape {list(found.shape)} instead of {list(expected.shape)}"
    if bound:
        with np.errstate(invalid="ignore"):
            same = (np.abs(found - expected.astype(np.float64)) <= bound) | (found == expected)
    else:
        same = found == expected
    if np.all(same):
        return None
    place = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{found[place]} instead of {expected[place]} at {list(place)}"


def call_at_all_sizes(case, library):
    """Calls the library at every combination of sizes. Returns a Verdict, whose text contains the first error and the
    combinations at which a call is wrong."""
    wrong, choices = [], case.sizes()
    for sizes in choices:
        inputs, expected, bound, _ = case.expected(sizes)
        try:
            reason = compare(library.run(sizes, inputs), expected, bound)
        except RuntimeError as error:
            reason = str(error)
        if reason:
            wrong.append((sizes, reason))
    if not wrong:
        return Verdict("right")
    sizes, reason = wrong[0]
    return Verdict("wrong", f"{sentence(sizes)}: {reason}; wrong at {len(wrong)} of {len(choices)}: "
                   + ", ".join(sentence(sizes) for sizes, _ in wrong[:12]))


def verify(case, heddle, device, caller, folder):
    """Verifies the case and returns a Verdict. `caller` is the shared object that library.build_caller built. The ONNX
    file remains in `folder`."""
    folder = pathlib.Path(folder)
    model, library = folder / "model.onnx", folder / "model.so"
    onnx_file.write(model, case.value, case.inputs, case.spelling.constants_are_nodes)
    try:
        done = subprocess.run(command(heddle, device, case, model, library), capture_output=True, text=True,
                              timeout=COMPILE_SECONDS)
    except subprocess.TimeoutExpired:
        return Verdict("crash", f"compiles for more than {COMPILE_SECONDS} s")
    said = done.stderr.replace(str(model), "model.onnx").strip()
    if done.returncode == 1:
        return Verdict("refused", said) if said else Verdict("crash", "status 1 without a message")
    if done.returncode:
        return Verdict("crash", f"compile ends with status {done.returncode}: {said}")
    try:
        return call_at_all_sizes(case, Library(caller, library))
    finally:
        os.unlink(library)
