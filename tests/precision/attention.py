"""attention.py HEDDLE FOLDER SEED COUNT: compares attention whose products are in bf16 with its formula, which this
file computes in f64. HEDDLE is the program, FOLDER is for temporary files, and SEED is the seed of the first of COUNT
cases; each following case has the next seed.

The seed of a case determines its sizes, masks, bias, CPU and strategy. The results of `heddle run` and of the formula
must be equal up to the last digits of f32. The exponential of a score may be so close to the middle between two bf16
numbers that errors of f32 decide how it is rounded; both numbers are then allowed.
"""
import math
import pathlib
import random
import struct
import subprocess
import sys

import tensors

CPUS = ["native", "x86-64-v3", "x86-64"]
STRATEGIES = ["", "attention-stored", "attention-online"]
# The allowed relative error, for errors of computations in f32.
LAST_DIGITS = 3e-6
# If an exponential is nearer to the middle between two bf16 numbers than CLOSE, either of them is allowed. CLOSE counts
# units in the last place of f32; bf16 omits the last 16 bits of f32.
CLOSE = 600


def bits(x):
    """Returns the bits of x, rounded to f32, as an integer."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def rounded(x):
    """Returns the nearest bf16 number; if two are equally near, the one whose last bit is 0."""
    word = bits(x)
    return struct.unpack("<f", struct.pack("<I", word + 0x7fff + (word >> 16 & 1) & 0xffff0000))[0]


def single(x):
    """Returns x, rounded to f32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Case:
    # Sizes have the names of the operation's knobs. `groups` is the number of key heads, and `sharing` is the number of
    # query heads that read the same key head.
    def __init__(self, seed):
        self.draw = draw = random.Random(seed)
        self.groups, self.sharing = draw.choice([1, 2]), draw.choice([1, 2])
        self.sq, self.skv = draw.choice([1, 2, 9, 16, 17, 33]), draw.choice([1, 2, 5, 16, 17, 33, 70])
        self.d, self.dv = draw.choice([1, 2, 5, 16, 17]), draw.choice([1, 3, 16])
        self.heads = self.groups * self.sharing
        self.scale = draw.choice([1 / math.sqrt(self.d), 0.3, -0.5, 3.0])
        self.softcap = draw.choice([None, None, 5.0])
        self.causal = draw.choice(["none", "none", "lower_right", "upper_left"])
        self.inputs = {"q": self.normal([1, self.heads, self.sq, self.d]),
                       "k": self.normal([1, self.groups, self.skv, self.d]),
                       "v": self.normal([1, self.groups, self.skv, self.dv])}
        if draw.random() < 0.4: # The bias removes keys in some cases.
            self.inputs["bias"] = self.normal([1, 1, self.sq, self.skv])
            removed = draw.choice([None, -math.inf, -1e9])
            if removed:
                numbers = self.inputs["bias"].numbers
                self.inputs["bias"].numbers = [removed if draw.random() < 0.3 else x for x in numbers]

    def normal(self, shape):
        return tensors.Tensor(shape, [single(self.draw.gauss(0, 1)) for _ in range(math.prod(shape))])

    def operation(self):
        """Returns the attention as a quoted operation, an argument of `heddle run`."""
        text = (f"attention hq={self.heads} hkv={self.groups} sq={self.sq} skv={self.skv} d={self.d} dv={self.dv} "
                f"scale={self.scale!r} causal={self.causal} rounding=bf16")
        return text + (f" softcap={self.softcap}" if self.softcap else "") + (" bias=qk" if "bias" in self.inputs else "")

    def score(self, query, key, i, j):
        """Returns the score of query i and key j in f64."""
        score = self.scale * sum(x * y for x, y in zip(query, key))
        if self.softcap:
            score = self.softcap * math.tanh(score / self.softcap)
        if "bias" in self.inputs:
            score += self.inputs["bias"].numbers[i * self.skv + j]
        position = i + (self.skv - self.sq if self.causal == "lower_right" else 0)
        return -math.inf if self.causal != "none" and j > position else score

    def row(self, query, keys, values, i):
        """Returns the expected result of query i, and the allowed error relative to the largest absolute value of `v`.
        The exponentials of scores are rounded to bf16, as the operation defines. Before the exponentials are computed,
        the largest score is subtracted from the scores. It is first rounded up to a multiple of log(2) if its magnitude
        is less than 2^20."""
        scores = [self.score(query, key, i, j) for j, key in enumerate(keys)]
        largest = max(scores)
        if largest == -math.inf:
            return [0.0] * self.dv, 0.0
        shift = math.ceil(largest / math.log(2)) * math.log(2) if abs(largest) < 2**20 else largest
        weights = [math.exp(score - shift) for score in scores]
        total = sum(map(rounded, weights))
        slack = LAST_DIGITS * (1 + max(abs(s) for s in scores if s > largest - 100))
        slack += sum(w / 128 / total for w in weights if abs((bits(w) & 0xffff) - 0x8000) < CLOSE)
        return [sum(rounded(w) / total * value[l] for w, value in zip(weights, values)) for l in range(self.dv)], slack

    def check(self, result):
        """Returns the first error in `result`, or an empty string."""
        rows = {name: [[rounded(x) for x in row] for row in self.inputs[name].rows()] for name in "qkv"}
        largest = max(abs(x) for row in rows["v"] for x in row)
        for head in range(self.heads):
            group = head // self.sharing * self.skv
            keys, values = rows["k"][group:group + self.skv], rows["v"][group:group + self.skv]
            for i in range(self.sq):
                at = head * self.sq + i
                expected, slack = self.row(rows["q"][at], keys, values, i)
                for l, x in enumerate(expected):
                    if not abs(result[at * self.dv + l] - x) <= slack * largest:
                        return f"head {head}, query {i}, element {l} is {result[at * self.dv + l]}, expected {x}"
        return ""


def main():
    heddle, folder, seed, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        case = Case(number)
        cpu, strategy = case.draw.choice(CPUS), case.draw.choice(STRATEGIES)
        given, made = folder / "in.safetensors", folder / "out.safetensors"
        tensors.write(given, case.inputs)
        command = [heddle, "run", case.operation(), "--input", given, "--output", made, "--mcpu", cpu]
        subprocess.run(command + (["--strategy", f"attention={strategy}"] if strategy else []), check=True)
        problem = case.check(tensors.read(made)["out"].numbers)
        if problem:
            sys.exit(f"seed {number}, {case.operation()}, {cpu} {strategy}: {problem}")
    print(f"{count} attentions are right")


main()
