"""few_queries.py HEDDLE SEED COUNT: compares attention on few queries with its definition, which numpy computes in f64.

`heddle run` executes the code for CUDA in the interpreter of PTX. SEED is the seed of the first of COUNT cases; each
following case has the next seed, which determines the type, the sizes, the masks and the elements. Some queries see no
key, some scores are NaN or infinite, and some values of keys that are removed are NaN. Exits with status 77 (skipped)
without numpy.
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

# For each type, the largest relative error of one rounding.
TYPES = {"f32": 2.0**-24, "bf16": 2.0**-8, "f16": 2.0**-11}


def to_bf16(numbers):
    """Returns the bits of the numbers, rounded to bf16."""
    words = np.asarray(numbers, np.float32).view(np.uint32)
    rounded = ((words >> 16 & 1) + 0x7FFF + words) >> 16
    return np.where(np.isnan(numbers), 0x7FC0, rounded).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32).astype(np.float64)


class Case:
    """A random operation: its words, its inputs, and its result."""

    def __init__(self, seed):
        self.draw, self.numbers = random.Random(seed), np.random.default_rng(seed)
        pick = self.draw.choice
        self.kind = list(TYPES)[seed % 3]
        self.rounds = self.kind == "f32" and seed // 3 % 2 == 1
        self.batch, self.key_heads, self.sharing = pick([1, 1, 2]), pick([1, 2, 3]), pick([1, 1, 2, 3, 4])
        self.queries, self.keys = pick([1, 1, 1, 2, 3, 5, 8, 16]), pick([1, 31, 32, 33, 70, 130, 300, 517])
        self.size, self.value_size = pick([8, 16, 39, 64, 80]), pick([8, 16, 39, 64, 80])
        self.inputs, self.words = {}, []

    def input(self, name, *shape, scale=1.0):
        """Adds an input, and returns its numbers."""
        numbers = self.numbers.normal(0, scale, shape)
        self.inputs[name] = numbers
        return numbers

    def stored(self, name):
        """Rounds an input to the type of the case, and returns its numbers in f64."""
        numbers = self.inputs[name]
        with np.errstate(over="ignore"):
            if self.kind == "bf16":
                bits = to_bf16(numbers)
                self.inputs[name] = tensors.Tensor(bits.shape, bits.ravel().tolist(), "BF16")
                return from_bf16(bits)
            kept = numbers.astype({"f32": np.float32, "f16": np.float16}[self.kind])
        self.inputs[name] = tensors.Tensor(kept.shape, kept.ravel().tolist(), self.kind.upper())
        return kept.astype(np.float64)

    def broadcast(self):
        """Returns random dimensions of a mask or bias as the value of a knob, and as a shape."""
        text = self.draw.choice(["qk", "k", "b11k", "hqk", "b1qk", "h1k", "q1", "bhqk", "h11"])
        sizes = {"b": self.batch, "h": self.heads, "q": self.queries, "k": self.keys, "1": 1}
        return text, [1] * (4 - len(text)) + [sizes[letter] for letter in text]

    def make(self):
        """Draws the operation. Returns its words, the result and bounds of its error."""
        pick = self.draw.choice
        self.heads = self.key_heads * self.sharing
        q = self.input("q", self.batch, self.heads, self.queries, self.size)
        k = self.input("k", self.batch, self.key_heads, self.keys, self.size)
        v = self.input("v", self.batch, self.key_heads, self.keys, self.value_size)
        words = [f"b={self.batch} hq={self.heads} hkv={self.key_heads} d={self.size} dv={self.value_size}"]
        ranged = pick([False, False, True])
        words.append(f"sq={self.queries}" if not ranged or pick([0, 1]) else f"sq=1..{max(self.queries, 2)}")
        words.append(f"skv=1..{self.keys + 40}" if ranged else f"skv={self.keys}")
        if self.kind != "f32":
            words.append(f"type={self.kind}")
        if self.rounds:
            words.append("rounding=bf16")
        scale = self.size**-0.5
        if pick([0, 0, 1]):
            scale = pick([0.3, 1.0])
            words.append(f"scale={scale}")
        softcap = pick([None, None, None, 5.0])
        words += [f"softcap={softcap}"] if softcap else []
        bias = mask = None
        if pick([0, 0, 1]):
            text, shape = self.broadcast()
            words.append(f"bias={text}")
            bias = self.input("bias", *shape)
            bias[self.numbers.random(shape) < 0.1] = -np.inf
        masked_score = -np.inf
        if pick([0, 1]):
            text, shape = self.broadcast()
            words.append(f"mask={text}")
            mask = self.numbers.random(shape) < pick([0.3, 0.9])
            if pick([0, 0, 1]):
                masked_score = -10000.0
                words.append("masked_score=-10000")
        causal = pick(["none", "none", "lower_right", "upper_left"])
        words.append(f"causal={causal}")
        window = pick([None, None, None, (3, -1), (40, 5), (0, 70)])
        words += [f"window={window[0]},{window[1]}"] if window else []
        lengths = np.full(self.batch, self.keys)
        if pick([0, 0, 1]):
            words.append("key_lengths=1")
            lengths = self.numbers.integers(0, self.keys + 1, self.batch)
            self.inputs["key_lengths"] = tensors.Tensor([self.batch], lengths.tolist(), "I64")
        empty_row = pick(["zeros", "zeros", "nan", "nan_to_zeros"])
        words.append(f"empty_row={empty_row}")
        if pick([0, 0, 1]):  # both layouts of the tensors, [B, H, S, D] and [B, S, H, D]
            words.append("layout=bshd")
            self.transposed = True
        else:
            self.transposed = False
        # Special elements.
        special = pick(["none", "none", "nan query", "large", "nan value"])
        if special == "nan query":
            q[0, 0, 0, 0] = np.nan
        elif special == "large":
            q[0, -1, -1] = 60000.0
        elif special == "nan value":
            v[0, 0, self.draw.randrange(self.keys), self.draw.randrange(self.value_size)] = pick([np.nan, np.inf])
        q, k, v = self.stored("q"), self.stored("k"), self.stored("v")
        if bias is not None:
            bias = self.stored("bias")
        if mask is not None:
            self.inputs["mask"] = tensors.Tensor(mask.shape, mask.ravel().tolist(), "BOOL")
        return " ".join(words), *self.result(q, k, v, bias, mask, masked_score, softcap, scale, causal, window, lengths,
                                             empty_row)

    def result(self, q, k, v, bias, mask, masked_score, softcap, scale, causal, window, lengths, empty_row):
        """Returns the result, [B, H, S, D], and bounds of the error of a computation in f32."""
        if self.rounds:
            q, k, v = (from_bf16(to_bf16(x)) for x in (q, k, v))
        k, v = (np.repeat(x, self.sharing, axis=1) for x in (k, v))
        with np.errstate(all="ignore"):
            scores = scale * np.einsum("bhqd,bhkd->bhqk", q, k)
            magnitude = np.abs(scale) * np.einsum("bhqd,bhkd->bhqk", np.abs(q), np.abs(k))
            if softcap:
                scores = softcap * np.tanh(scores / softcap)
                magnitude = np.minimum(magnitude, 40)
            if bias is not None:
                scores = scores + bias
            if mask is not None:
                scores = np.where(np.broadcast_to(mask, scores.shape), scores, masked_score)
            for entry, length in enumerate(lengths):
                i, j = np.arange(self.queries)[:, None], np.arange(self.keys)[None, :]
                position = i if causal == "upper_left" else i + length - self.queries
                gone = np.broadcast_to(j >= length, (self.queries, self.keys)).copy()
                if causal != "none":
                    gone |= j > position
                if window and window[0] >= 0:
                    gone |= j < position - window[0]
                if window and window[1] >= 0:
                    gone |= j > position + window[1]
                scores[entry] = np.where(gone, -np.inf, scores[entry])
            largest = np.max(np.where(np.isnan(scores), -np.inf, scores), axis=-1, keepdims=True)
            if self.rounds:
                power = np.ceil(largest / np.log(2)) * np.log(2)
                shift = np.where(np.abs(largest) >= 2**20, largest, power)
            else:
                shift = largest
            factors = np.exp(scores - np.where(shift == -np.inf, 0, shift))
            if self.rounds:
                factors = from_bf16(to_bf16(factors))
            totals = factors.sum(axis=-1, keepdims=True)
            removed = scores == -np.inf
            result, bounds = np.zeros(q.shape[:3] + v.shape[-1:]), np.zeros(q.shape[:3] + v.shape[-1:])
            finite = np.where(np.isfinite(magnitude), magnitude, 0).max(axis=-1)[..., None]
            error = 1e-6 * (10 + self.size**0.5 * finite) + (2.0**-8 if self.rounds else 0)
            for b, h, i in np.ndindex(*q.shape[:3]):
                kept = ~removed[b, h, i]
                terms = factors[b, h, i, kept, None] * v[b, h, kept]
                result[b, h, i] = terms.sum(axis=0) / totals[b, h, i]
                bounds[b, h, i] = error[b, h, i] * (np.abs(terms).sum(axis=0) / totals[b, h, i]) + 1e-30
                empty = not kept.any()
                broken = np.isnan(totals[b, h, i, 0])
                if empty or broken:
                    zeros = (empty and empty_row != "nan") or (broken and empty_row == "nan_to_zeros")
                    result[b, h, i] = 0 if zeros else np.nan
        return result, bounds


def check(heddle, seed, folder):
    """Runs a case and returns what is wrong with it, or ""."""
    case = Case(seed)
    words, expected, bounds = case.make()
    for name in ("q", "k", "v"):
        tensor = case.inputs[name]
        if case.transposed:
            moved = np.array(tensor.numbers).reshape(tensor.shape).swapaxes(1, 2)
            case.inputs[name] = tensors.Tensor(moved.shape, moved.ravel().tolist(), tensor.dtype)
    tensors.write(f"{folder}/in.safetensors", case.inputs)
    files = ["--input", f"{folder}/in.safetensors", "--output", f"{folder}/out.safetensors"]
    command = [heddle, "run", f"attention {words}", "--device", "cuda-interpreted", *files]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return f"seed {seed}: attention {words}: {run.stderr.strip()}"
    tensor = tensors.read(f"{folder}/out.safetensors")["out"]
    found = np.array(tensor.numbers)
    found = (from_bf16(found) if case.kind == "bf16" else found.astype(np.float64)).reshape(tensor.shape)
    if case.transposed:
        found = found.swapaxes(1, 2)
    with np.errstate(all="ignore"):
        limit = {"f32": 3e38, "bf16": 3e38, "f16": 65504.0}[case.kind]
        close = np.abs(found - expected) <= bounds + TYPES[case.kind] * np.abs(expected) + 1e-7
        same = np.where(np.isnan(expected), np.isnan(found), close | (found == expected))
        same |= (np.abs(expected) > limit) & (found == np.sign(expected) * np.inf)
    if same.all():
        return ""
    at = tuple(np.argwhere(~same)[0])
    return (f"seed {seed}: attention {words}: {np.count_nonzero(~same)} elements are wrong; {list(map(int, at))} is "
            f"{found[at]}, expected {expected[at]} with an error of at most {bounds[at]}")


def main(heddle, seed, count):
    with tempfile.TemporaryDirectory() as folder:
        wrong = [text for case in range(int(seed), int(seed) + int(count)) if (text := check(heddle, case, folder))]
    print(*wrong, f"{count} cases, {len(wrong)} wrong", sep="\n")
    return int(bool(wrong) or int(count) < 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
