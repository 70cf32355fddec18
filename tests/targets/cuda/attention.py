"""attention.py HEDDLE SEED COUNT: compares random attention with its definition (random_cases.py).

The seed of a case determines the strategy, the types, the sizes, the masks and the elements. Some queries see no key,
some scores are NaN or infinite, and some values of keys that are removed are not finite. Other tests compare attention
with Heddle's own interpreter; this test does not depend on it.
"""
import sys

import numpy as np

import random_cases
from random_cases import F32, from_bf16, tensors, to_bf16

# The type of the tensors, and the type to which the factors of products are rounded. Attention on bf16 or f16 also rounds
# the weights to this type.
ROUNDINGS = [("f32", None), ("f32", "bf16"), ("f32", "f16"), ("bf16", "bf16"), ("f16", "f16")]


def rounded(numbers, kind):
    """Returns the numbers, rounded to a type."""
    if kind is None:
        return numbers
    with np.errstate(over="ignore"):
        return from_bf16(to_bf16(numbers)) if kind == "bf16" else numbers.astype(np.float16).astype(np.float64)


class Attention(random_cases.Case):
    def __init__(self, seed):
        kind, self.rounding = ROUNDINGS[seed // 2 % len(ROUNDINGS)]
        # The default strategy for few queries divides the keys into parts.
        self.strategy = None if seed % 2 else "attention-matrix-tiles" if self.rounding else "attention-tiles"
        super().__init__(seed, kind)
        pick = self.draw.choice
        self.batch, self.key_heads, self.sharing = pick([1, 1, 2]), pick([1, 2]), pick([1, 1, 2, 3])
        self.heads = self.key_heads * self.sharing
        if self.strategy:
            self.queries, self.keys = pick([1, 17, 40, 64, 70]), pick([1, 33, 64, 70, 130])
        else:
            self.queries, self.keys = pick([1, 1, 1, 2, 3, 5, 8, 16]), pick([1, 31, 32, 33, 70, 130, 300, 517])
        self.size = pick([8, 16, 39, 40, 64, 80])
        self.value_size = pick([self.size, self.size, 8, 24, 39])
        self.scale = pick([None, None, 0.3, 1.0])
        self.softcap = pick([None, None, None, 5.0])
        self.masked_score = pick([None, None, -10000.0])
        self.causal = pick(["none", "none", "lower_right", "upper_left"])
        self.window = pick([None, None, None, (3, -1), (40, 5), (0, 70)])
        self.empty_row = pick(["zeros", "nan", "nan_to_zeros"])
        self.layout = pick(["bhsd", "bhsd", "bshd"])
        # Whether the numbers of queries and of keys lie in ranges.
        self.ranges = pick([(0, 0), (0, 0), (0, 1), (1, 1)])

    def broadcast(self, name, letters):
        """Returns the shape of an operand that depends on some dimensions, or None for an operand that does not exist."""
        text = self.draw.choice(letters)
        if text:
            self.words[name] = text
        full = {"b": self.batch, "h": self.heads, "q": self.queries, "k": self.keys, "1": 1}
        return [full[letter] for letter in ("bhqk" if text == "1" else text.rjust(4, "1"))] if text else None

    def store_rows(self, name, numbers):
        """Adds an input [B, H, S, D] in the layout of the case, and returns its numbers."""
        if self.layout == "bshd":
            return self.store(name, numbers.swapaxes(1, 2)).swapaxes(1, 2)
        return self.store(name, numbers)

    def make_rows(self):
        """Returns the queries, the keys and the values, with some special elements."""
        q = self.numbers.normal(0, 1, [self.batch, self.heads, self.queries, self.size])
        k = self.numbers.normal(0, 1, [self.batch, self.key_heads, self.keys, self.size])
        v = self.numbers.normal(0, 1, [self.batch, self.key_heads, self.keys, self.value_size])
        special = self.draw.choice([None, None, None, "nan", "large", "value"])
        if special == "nan":
            q[0, 0, 0, 0] = np.nan
        elif special == "large":
            q[0, -1, -1] = 60000.0
        elif special == "value":
            v.flat[self.numbers.integers(v.size)] = self.draw.choice([np.nan, np.inf])
        return [self.store_rows(name, rows) for name, rows in zip("qkv", (q, k, v))]

    def read(self, tensor):
        found = super().read(tensor)
        return found.swapaxes(1, 2) if self.layout == "bshd" else found

    def removed(self, length):
        """Returns which keys are removed for each query by their positions, in a batch entry with `length` keys."""
        i, j = np.arange(self.queries)[:, None], np.arange(self.keys)[None, :]
        position = i if self.causal == "upper_left" else i + length - self.queries
        gone = np.broadcast_to(j >= length, (self.queries, self.keys)).copy()
        left, right = self.window or (-1, -1)
        if self.causal != "none":
            gone |= j > position
        if left >= 0:
            gone |= j < position - left
        if right >= 0:
            gone |= j > position + right
        return gone

    def score(self, q, k):
        """Returns the scores of the queries and keys, and bounds of their absolute errors."""
        scale = self.scale or self.size**-0.5
        scores = scale * np.einsum("bhqd,bhkd->bhqk", q, k)
        error = 2 * self.size * F32 * scale * np.einsum("bhqd,bhkd->bhqk", np.abs(q), np.abs(k))
        if self.softcap:
            scores = self.softcap * np.tanh(scores / self.softcap)
        if shape := self.broadcast("bias", [None, None, "1", "hqk", "k", "q1", "h11", "b1qk"]):
            bias = self.numbers.normal(0, 2, shape)
            bias[self.numbers.random(shape) < 0.1] = -np.inf
            scores = scores + self.store("bias", bias)
        error = error + 8 * F32 * np.where(np.isfinite(scores), np.abs(scores), 0.0)
        if shape := self.broadcast("mask", [None, None, "1", "qk", "k", "b11k", "h1k", "q1"]):
            mask = self.numbers.random(shape) < self.draw.choice([0.3, 0.9])
            self.inputs["mask"] = tensors.Tensor(mask.shape, mask.ravel().tolist(), "BOOL")
            scores = np.where(mask, scores, -np.inf if self.masked_score is None else self.masked_score)
        lengths = np.full(self.batch, self.keys)
        if self.draw.random() < 0.3:
            lengths = self.numbers.integers(0, self.keys + 1, self.batch)
            self.words["key_lengths"] = 1
            self.inputs["key_lengths"] = tensors.Tensor([self.batch], lengths.tolist(), "I64")
        gone = np.stack([self.removed(length) for length in lengths])[:, None]
        return np.where(gone, -np.inf, scores), error

    def result(self, scores, v, error):
        """Returns the result and bounds of its error, from the scores and their errors."""
        largest = np.where(np.isnan(scores), -np.inf, scores).max(-1, keepdims=True)
        if self.rounding:  # the shift is then the logarithm of a power of two
            power = np.ceil(largest / np.log(2)) * np.log(2)
            largest = np.where(np.abs(largest) >= 2**20, largest, power)
        weights = np.exp(scores - np.where(largest == -np.inf, 0, largest))
        # The factor makes small weights normal numbers of f16 before they are rounded. Their sum has the same factor,
        # so it cancels.
        weights = rounded(weights * (2.0**15 if self.rounding == "f16" else 1.0), self.rounding)
        removed = scores == -np.inf
        finite = np.where(np.isfinite(error) & ~removed, error, 0).max(-1)
        relative = 4 * (8 * F32 + finite) + {None: 0.0, "bf16": 2.0**-8, "f16": 2.0**-11}[self.rounding]
        result, bounds = (np.zeros(scores.shape[:3] + v.shape[-1:]) for _ in range(2))
        for b, h, i in np.ndindex(*scores.shape[:3]):
            kept, total = ~removed[b, h, i], weights[b, h, i].sum()
            terms = weights[b, h, i, kept, None] * v[b, h, kept]
            result[b, h, i] = terms.sum(0) / total
            bounds[b, h, i] = relative[b, h, i] * np.abs(terms).sum(0) / total
            is_empty, is_broken = not kept.any(), np.isnan(total)
            if is_empty or is_broken:
                is_zero = (is_empty and self.empty_row != "nan") or (is_broken and self.empty_row == "nan_to_zeros")
                result[b, h, i] = 0 if is_zero else np.nan
        return result, np.nan_to_num(bounds) + 1e-30

    def make(self):
        sizes = [f"1..{max(size, 2) + 20}" if is_range else size
                 for size, is_range in zip((self.queries, self.keys), self.ranges)]
        self.words = {"b": self.batch, "hq": self.heads, "hkv": self.key_heads, "sq": sizes[0], "skv": sizes[1],
                      "d": self.size, "dv": self.value_size, "type": self.kind, "layout": self.layout,
                      "scale": self.scale, "softcap": self.softcap, "masked_score": self.masked_score,
                      "rounding": self.rounding if self.kind == "f32" else None, "causal": self.causal, "empty_row": self.empty_row,
                      "window": self.window and ",".join(map(str, self.window))}
        q, k, v = self.make_rows()
        q, k, v = (rounded(rows, self.rounding) for rows in (q, k, v))
        with np.errstate(all="ignore"):
            scores, error = self.score(q, np.repeat(k, self.sharing, 1))
            expected, bounds = self.result(scores, np.repeat(v, self.sharing, 1), error)
        if "mask" not in self.words:
            self.words["masked_score"] = None
        words = " ".join(f"{name}={word}" for name, word in self.words.items() if word is not None)
        options = ["--strategy", f"attention={self.strategy}"] if self.strategy else []
        return f"attention {words}", options, expected, bounds


if __name__ == "__main__":
    sys.exit(random_cases.main(Attention, *sys.argv[1:]))
