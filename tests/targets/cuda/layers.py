"""layers.py HEDDLE SEED COUNT: compares layers with their formulas, which this file computes in f64.

`heddle run` executes the layers' code for CUDA in the interpreter of PTX. SEED is the seed of the first of COUNT cases;
each following case has the next seed, which determines the operation, the type, the sizes and the elements. Other tests
compare these layers with Heddle's own interpreter; this test does not depend on it.
"""
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[2] / "precision"))
import tensors

F32 = 2**-24  # the largest relative error of one rounding
# For each type, the largest relative error of one rounding, and the largest absolute error near 0.
TYPES = {"f32": (F32, 1e-37), "bf16": (2**-8, 1e-37), "f16": (2**-11, 2**-25)}
EPSILON = 1e-3  # of norms


def value(element, kind):
    """Returns the number that is stored as `element` (tensors.Tensor)."""
    return struct.unpack("<f", struct.pack("<I", element << 16))[0] if kind == "bf16" else element


def stored(number, kind):
    """Returns the element that stores the number, rounded to this type."""
    if kind == "bf16":
        word = struct.unpack("<I", struct.pack("<f", number))[0]
        return word + 0x7FFF + (word >> 16 & 1) >> 16
    code = "<f" if kind == "f32" else "<e"
    return struct.unpack(code, struct.pack(code, number))[0]


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


class Case:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.layer = [self.linear, self.ffn, self.layer_norm, self.rms_norm, self.softmax][seed % 5]
        self.kind = list(TYPES)[seed // 5 % 3]
        self.rows, self.inputs = self.size(40), {}

    def size(self, most):
        """Returns a size of at most `most`, often a multiple of two, four or eight."""
        unit = self.draw.choice([1, 1, 2, 4, 8])
        return unit * self.draw.randint(1, most // unit)

    def input(self, name, *shape, scale=1.0):
        """Adds an input and returns its numbers, as rows if it is a matrix."""
        elements = [stored(self.draw.gauss(0, scale), self.kind) for _ in range(math.prod(shape))]
        tensor = tensors.Tensor(shape, elements, self.kind.upper())
        self.inputs[name] = tensor
        rows = [[value(element, self.kind) for element in row] for row in tensor.rows()]
        return rows if len(shape) > 1 else rows[0]

    # Each of the following functions returns the words after the operation's name, the rows of the result, and for each
    # element a bound of the error of a computation in f32.

    def product(self, x, weight, bias):
        """Returns x weight + bias, and the bounds."""
        columns = list(zip(*weight))
        terms = [[[a * b for a, b in zip(row, column)] + [c] for column, c in zip(columns, bias)] for row in x]
        return ([[math.fsum(t) for t in row] for row in terms],
                [[2 * len(t) * F32 * math.fsum(map(abs, t)) for t in row] for row in terms])

    def linear(self):
        # A long contraction is divided into parts.
        k, n = self.size(self.draw.choice([70, 600])), self.size(40)
        y, bounds = self.product(self.input("input", self.rows, k), self.input("weight", k, n), self.input("bias", n))
        residual = self.input("residual", self.rows, n)
        y = [[gelu(a) + b for a, b in zip(*rows)] for rows in zip(y, residual)]
        return f"n={n} k={k} bias=1 residual=1 activation=gelu", y, bounds

    def ffn(self):
        k, hidden = self.size(30), self.size(40)
        x = self.input("input", self.rows, k)
        up, error = self.product(x, self.input("up", k, hidden, scale=k**-0.5), self.input("up_bias", hidden))
        down = self.input("down", hidden, k)
        y, bounds = self.product([[max(a, 0.0) for a in row] for row in up], down, self.input("down_bias", k))
        for row, errors in zip(bounds, error):
            for i, column in enumerate(zip(*down)):
                row[i] += math.fsum(a * abs(b) for a, b in zip(errors, column))
        return f"k={k} hidden={hidden} bias=1 activation=relu", y, bounds

    def norm(self, centred):
        """Returns the result of layer_norm, or of rms_norm if not `centred`."""
        d = self.size(300)
        x, scale = self.input("input", self.rows, d), self.input("scale", d)
        bias = self.input("bias", d) if centred else [0.0] * d
        residual = self.input("residual", self.rows, d)
        y = []
        for rows in zip(x, residual):
            sums = [a + b for a, b in zip(*rows)]
            mean = math.fsum(sums) / d if centred else 0
            root = math.sqrt(math.fsum((a - mean)**2 for a in sums) / d + EPSILON)
            y.append([(a - mean) / root * s + b for a, s, b in zip(sums, scale, bias)])
        # In a short row, the difference from the mean may be much smaller than the elements.
        return f"d={d} residual=1 epsilon={EPSILON}", y, [[1e-4 * (1 + abs(a)) for a in row] for row in y]

    def layer_norm(self):
        return self.norm(True)

    def rms_norm(self):
        return self.norm(False)

    def softmax(self):
        d = self.size(300)
        y = []
        for row in self.input("input", self.rows, d, scale=4):
            exps = [math.exp(a - max(row)) for a in row]
            y.append([a / math.fsum(exps) for a in exps])
        return f"d={d}", y, [[100 * F32 * a for a in row] for row in y]


def check(heddle, seed, folder):
    """Runs a case and returns what is wrong with it, or ""."""
    case = Case(seed)
    words, expected, bounds = case.layer()
    operation = f"{case.layer.__name__} rows={case.rows} {words} type={case.kind}"
    tensors.write(f"{folder}/in.safetensors", case.inputs)
    files = ["--input", f"{folder}/in.safetensors", "--output", f"{folder}/out.safetensors"]
    command = [heddle, "run", operation, "--device", "cuda-interpreted", *files]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return f"seed {seed}: {operation}: {run.stderr.strip()}"
    for i, rows in enumerate(zip(tensors.read(f"{folder}/out.safetensors")["out"].rows(), expected, bounds)):
        for j, (element, number, bound) in enumerate(zip(*rows)):
            relative, absolute = TYPES[case.kind]
            bound += relative * abs(number) + absolute
            found = value(element, case.kind)
            if not abs(found - number) <= bound:
                return (f"seed {seed}: {operation}: [{i}, {j}] is {found}, expected {number} with an error of at most "
                        f"{bound}")
    return ""


def main(heddle, seed, count):
    with tempfile.TemporaryDirectory() as folder:
        wrong = [text for case in range(int(seed), int(seed) + int(count)) if (text := check(heddle, case, folder))]
    print(*wrong, f"{count} cases, {len(wrong)} wrong", sep="\n")
    return int(bool(wrong) or int(count) < 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
