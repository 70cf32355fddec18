"""attention.py HEDDLE SEED COUNT: compares attention by tiles with its formula, which this file computes in f64.

`heddle run` executes the code for CUDA in the interpreter of PTX. SEED is the seed of the first of COUNT cases; each
following case has the next seed, which determines the types, the sizes, the masks and the elements, among which may be
infinities and NaN. Other tests compare attention with Heddle's own interpreter; this test does not depend on it.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy

sys.path.append(str(pathlib.Path(__file__).parents[2] / "precision"))
import tensors

F32 = 2.0**-24  # the largest relative error of one rounding
# For each type of the tensors, the largest relative error of one rounding, and the largest absolute error near 0.
TYPES = {"f32": (F32, 1e-37), "bf16": (2.0**-8, 1e-37), "f16": (2.0**-11, 2.0**-25)}
# The types, as words of the operation, and the strategy.
FORMS = [("type=f32", "attention-tiles"), ("type=f32 rounding=bf16", "attention-matrix-tiles"),
         ("type=bf16", "attention-tiles"), ("type=f16", "attention-tiles")]
BF16 = 2.0**-8  # the largest relative error of the rounding to bf16, with some reserve


def to_bits(numbers):
    """Returns the bits of numbers as bf16, rounded to the nearest."""
    words = numbers.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    bits = ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(numpy.uint16)
    return numpy.where(numpy.isnan(numbers), numpy.uint16(0x7FC0), bits)


def from_bits(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)


class Case:
    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        draw = random.Random(seed)
        self.types, self.strategy = FORMS[seed % len(FORMS)]
        self.kind = self.types.split()[0].split("=")[1]
        self.inputs = {}
        self.batch, self.groups, sharing = draw.choice([1, 1, 2]), draw.choice([1, 2]), draw.choice([1, 1, 3])
        self.heads = self.groups * sharing
        self.sq, self.skv = draw.choice([1, 17, 40, 64, 70]), draw.choice([1, 33, 64, 70, 130])
        self.d = draw.choice([16, 39, 40, 64, 80])
        self.dv = draw.choice([self.d, self.d, 24, 39])
        self.scale = draw.choice([None, 0.3])
        self.softcap = draw.choice([None, None, None, 5.0])
        self.causal = draw.choice(["none", "none", "lower_right", "upper_left"])
        self.window = draw.choice([None, None, None, (5, 3), (20, -1)])
        self.mask = draw.choice([None, None, "1", "b11k", "qk", "h1k"])
        self.bias = draw.choice([None, None, None, "hqk", "k", "1"])
        self.lengths = draw.choice([False, False, True])
        self.empty = draw.choice(["zeros", "nan", "nan_to_zeros"])
        self.hard = draw.random() < 0.3  # whether some elements are NaN or infinite
        self.range = draw.random() < 0.2  # whether the numbers of queries and keys lie in ranges

    def input(self, name, shape, scale=1.0):
        """Adds an input and returns its numbers."""
        numbers = self.random.normal(0, scale, shape)
        if self.hard and name in "qv":
            for value in (numpy.nan, numpy.inf):
                if self.random.random() < 0.5:
                    numbers.flat[self.random.integers(numbers.size)] = value
        if self.kind == "bf16":
            bits = to_bits(numbers)
            self.inputs[name] = tensors.Tensor(shape, bits.flatten().tolist(), "BF16")
            return from_bits(bits)
        numbers = numbers.astype(numpy.float32 if self.kind == "f32" else numpy.float16)
        self.inputs[name] = tensors.Tensor(shape, numbers.flatten().tolist(), self.kind.upper())
        return numbers.astype(numpy.float64)

    def broadcast(self, letters):
        """Returns the shape that the knob `mask` or `bias` names."""
        full = {"b": self.batch, "h": self.heads, "q": self.sq, "k": self.skv, "1": 1}
        return [full[letter] for letter in ("bhqk" if letters == "1" else letters.rjust(4, "1"))]

    def compute(self):
        """Returns the result, and for each element a bound of the error."""
        query = self.input("q", [self.batch, self.heads, self.sq, self.d])
        key = self.input("k", [self.batch, self.groups, self.skv, self.d])
        value = self.input("v", [self.batch, self.groups, self.skv, self.dv])
        bias = self.input("bias", self.broadcast(self.bias), 2.0) if self.bias else 0.0
        kept = numpy.ones([self.batch, self.heads, self.sq, self.skv], bool)
        if self.mask:
            mask = self.random.random(self.broadcast(self.mask)) < 0.7
            mask.reshape(-1, mask.shape[-1])[self.random.integers(mask.size // mask.shape[-1])] = False
            self.inputs["mask"] = tensors.Tensor(mask.shape, mask.flatten().tolist(), "BOOL")
            kept &= mask
        valid = numpy.full(self.batch, self.skv)
        if self.lengths:
            valid = self.random.integers(0, self.skv + 1, self.batch)
            self.inputs["key_lengths"] = tensors.Tensor([self.batch], valid.tolist(), "I64")
        i, j = numpy.arange(self.sq)[:, None], numpy.arange(self.skv)[None, :]
        for entry, length in enumerate(valid):
            position = i if self.causal == "upper_left" else i + length - self.sq
            seen = j < length
            if self.causal != "none":
                seen = seen & (j <= position)
            left, right = self.window or (-1, -1)
            if left >= 0:
                seen = seen & (j >= position - left)
            if right >= 0:
                seen = seen & (j <= position + right)
            kept[entry] &= seen
        if "rounding" in self.types:
            query, key, value = (from_bits(to_bits(x)) for x in (query, key, value))
        sharing = self.heads // self.groups
        key, value = numpy.repeat(key, sharing, 1), numpy.repeat(value, sharing, 1)
        with numpy.errstate(all="ignore"):
            scale = self.scale or self.d**-0.5
            scores = scale * (query @ key.transpose(0, 1, 3, 2))
            # An error of the products, times their scale, is a relative error of the weights.
            error = 2 * self.d * F32 * scale * (numpy.abs(query) @ numpy.abs(key).transpose(0, 1, 3, 2))
            if self.softcap:
                scores = self.softcap * numpy.tanh(scores / self.softcap)
            scores = numpy.where(kept, scores + bias, -numpy.inf)
            largest = scores.max(-1, keepdims=True)
            weights = numpy.exp(scores - numpy.where(largest == -numpy.inf, 0.0, largest))
            total = weights.sum(-1, keepdims=True)
            terms = weights[..., None] * value[:, :, None]
            terms = numpy.where((scores == -numpy.inf)[..., None] & ~numpy.isnan(total)[..., None], 0.0, terms)
            result = terms.sum(-2) / total
            one = 8 * F32 + numpy.where(kept, error, 0.0).max(-1, keepdims=True) + 8 * F32 * numpy.nanmax(
                numpy.where(numpy.isfinite(scores), numpy.abs(scores), 0.0), -1, keepdims=True)
            if "rounding" in self.types:
                one = one + 2 * BF16
            bounds = 4 * one * numpy.abs(terms).sum(-2) / total
        if self.empty == "zeros":
            result = numpy.where(total == 0, 0.0, result)
        elif self.empty == "nan_to_zeros":
            result = numpy.where((total == 0) | numpy.isnan(total), 0.0, result)
        return result, bounds

    def words(self):
        """Returns the words of the operation."""
        size = "1..150" if self.range else None
        words = {"b": self.batch, "hq": self.heads, "hkv": self.groups, "sq": size or self.sq, "skv": size or self.skv,
                 "d": self.d, "dv": self.dv, "scale": self.scale, "softcap": self.softcap, "mask": self.mask,
                 "bias": self.bias, "key_lengths": int(self.lengths), "causal": self.causal, "empty_row": self.empty,
                 "window": self.window and ",".join(map(str, self.window))}
        return " ".join(["attention", self.types, *(f"{name}={word}" for name, word in words.items()
                                                    if word is not None)])


def check(heddle, seed, folder):
    """Runs a case and returns what is wrong with it, or ""."""
    case = Case(seed)
    expected, bounds = case.compute()
    tensors.write(f"{folder}/in.safetensors", case.inputs)
    files = ["--input", f"{folder}/in.safetensors", "--output", f"{folder}/out.safetensors"]
    command = [heddle, "run", case.words(), "--device", "cuda-interpreted", "--strategy",
               f"attention={case.strategy}", *files]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return f"seed {seed}: {case.words()}: {run.stderr.strip()}"
    out = tensors.read(f"{folder}/out.safetensors")["out"]
    found = numpy.array(out.numbers).reshape(expected.shape)
    found = from_bits(found.astype(numpy.uint16)) if case.kind == "bf16" else found.astype(numpy.float64)
    relative, absolute = TYPES[case.kind]
    with numpy.errstate(all="ignore"):
        close = numpy.abs(found - expected) <= bounds + relative * numpy.abs(expected) + absolute
    same = close | (numpy.isnan(found) & numpy.isnan(expected)) | (found == expected)
    if same.all():
        return ""
    at = tuple(numpy.argwhere(~same)[0])
    return (f"seed {seed}: {case.words()}: {(~same).sum()} elements are wrong: {list(map(int, at))} is {found[at]}, "
            f"expected {expected[at]} with an error of at most {bounds[at]}")


def main(heddle, seed, count):
    with tempfile.TemporaryDirectory() as folder:
        wrong = [text for case in range(int(seed), int(seed) + int(count)) if (text := check(heddle, case, folder))]
    print(*wrong, f"{count} cases, {len(wrong)} wrong", sep="\n")
    return int(bool(wrong) or int(count) < 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
