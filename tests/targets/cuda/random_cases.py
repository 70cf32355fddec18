"""Code that layers.py and attention.py share, which compares random operations with their formulas.

`heddle run` executes the code for CUDA in the interpreter of PTX. The two scripts compute the expected results in f64.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy")
    sys.exit(77)

sys.path.append(str(pathlib.Path(__file__).parents[2] / "precision"))
import tensors

F32 = 2.0**-24  # the largest relative error of one rounding to f32
# For each type, the largest relative error of one rounding, the largest absolute error near 0, and the largest number.
TYPES = {"f32": (F32, 1e-37, 3.4e38), "bf16": (2.0**-8, 1e-37, 3.4e38), "f16": (2.0**-11, 2.0**-25, 65504.0)}


def to_bf16(numbers):
    """Returns the bits of numbers, rounded to bf16."""
    words = np.asarray(numbers, np.float32).view(np.uint32)
    rounded = ((words >> 16 & 1) + 0x7FFF + words) >> 16
    return np.where(np.isnan(numbers), 0x7FC0, rounded).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32).astype(np.float64)


class Case:
    """A random operation, which its seed determines.

    A subclass has the function `make`, which returns the operation, options of `heddle run`, the expected result, and for
    each element a bound of the error of a computation in f32.
    """

    def __init__(self, seed, kind):
        self.draw, self.numbers, self.kind, self.inputs = random.Random(seed), np.random.default_rng(seed), kind, {}

    def store(self, name, numbers):
        """Adds an input with these numbers, rounded to the type of the case. Returns the rounded numbers."""
        if self.kind == "bf16":
            bits = to_bf16(numbers)
            self.inputs[name] = tensors.Tensor(bits.shape, bits.ravel().tolist(), "BF16")
            return from_bf16(bits)
        with np.errstate(over="ignore"):
            rounded = np.asarray(numbers).astype({"f32": np.float32, "f16": np.float16}[self.kind])
        self.inputs[name] = tensors.Tensor(rounded.shape, rounded.ravel().tolist(), self.kind.upper())
        return rounded.astype(np.float64)

    def input(self, name, *shape, scale=1.0):
        """Adds an input with random numbers, and returns them."""
        return self.store(name, self.numbers.normal(0, scale, shape))

    def read(self, tensor):
        """Returns the numbers of a tensor with elements of the case's type."""
        found = np.array(tensor.numbers).reshape(tensor.shape)
        return from_bf16(found) if self.kind == "bf16" else found.astype(np.float64)


def check(heddle, case, folder):
    """Runs a case and returns what is wrong with it, or ""."""
    operation, options, expected, bounds = case.make()
    tensors.write(f"{folder}/in.safetensors", case.inputs)
    files = ["--input", f"{folder}/in.safetensors", "--output", f"{folder}/out.safetensors"]
    command = [heddle, "run", operation, "--device", "cuda-interpreted", *options, *files]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return f"{operation}: {run.stderr.strip()}"
    found = case.read(tensors.read(f"{folder}/out.safetensors")["out"])
    relative, absolute, most = TYPES[case.kind]
    with np.errstate(all="ignore"):
        close = np.abs(found - expected) <= bounds + relative * np.abs(expected) + absolute
        same = np.where(np.isnan(expected), np.isnan(found), close | (found == expected))
        same |= (np.abs(expected) > most) & (found == np.sign(expected) * np.inf)
    if same.all():
        return ""
    at = tuple(np.argwhere(~same)[0])
    return (f"{operation}: {np.count_nonzero(~same)} elements are wrong; {list(map(int, at))} is {found[at]}, expected "
            f"{expected[at]} with an error of at most {bounds[at]}")


def main(case_of, heddle, seed, count):
    """Checks `count` cases, the first of which has this seed, and each following one the next seed."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(seed), int(seed) + int(count)):
            if text := check(heddle, case_of(number), folder):
                wrong.append(f"seed {number}: {text}")
    print(*wrong, f"{count} cases, {len(wrong)} wrong", sep="\n")
    return int(bool(wrong) or int(count) < 1)
