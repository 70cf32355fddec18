"""Chooses the sizes at which a model is compared with another engine."""
from __future__ import annotations

import itertools
import math
import random
from typing import Dict, Iterator, List, Sequence, Tuple

from ..description import Size

MAX_POINTS = 64  # up to this number of combinations, all are compared


def choose(sizes: Sequence[Size], samples: int, seed: int) -> Tuple[List[Dict[str, int]], int]:
    """Returns all combinations of sizes if there are at most MAX_POINTS; otherwise at most MAX_POINTS corners of their
    ranges, and `samples` random combinations between them. Also returns the number of all combinations."""
    total = math.prod(size.high - size.low + 1 for size in sizes)
    if total <= MAX_POINTS:
        values = [range(size.low, size.high + 1) for size in sizes]
        return [_named(sizes, point) for point in itertools.product(*values)], total
    points = list(itertools.islice(itertools.product(*[sorted({size.low, size.high}) for size in sizes]), MAX_POINTS))
    points += _between(sizes, random.Random(seed), samples)
    return [_named(sizes, point) for point in dict.fromkeys(points)], total


def _between(sizes: Sequence[Size], numbers: random.Random, samples: int) -> Iterator[Tuple[int, ...]]:
    for _ in range(samples):
        yield tuple(numbers.randint(size.low, size.high) for size in sizes)


def _named(sizes: Sequence[Size], point: Tuple[int, ...]) -> Dict[str, int]:
    return {size.name: value for size, value in zip(sizes, point)}
