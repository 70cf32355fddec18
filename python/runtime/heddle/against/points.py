"""At which sizes a model is held against another engine."""
from __future__ import annotations

import itertools
import math
import random
from typing import Dict, Iterator, List, Sequence, Tuple

from ..description import Size

MOST_POINTS = 64  # up to so many choices all of them are taken


def choose(sizes: Sequence[Size], samples: int, seed: int) -> Tuple[List[Dict[str, int]], int]:
    """Every choice of sizes where there are few; else the corners of their ranges and `samples` between, by the seed.
    Second: how many choices there are."""
    total = math.prod(size.high - size.low + 1 for size in sizes)
    if total <= MOST_POINTS:
        values = [range(size.low, size.high + 1) for size in sizes]
        return [_named(sizes, point) for point in itertools.product(*values)], total
    points = list(itertools.islice(itertools.product(*[sorted({size.low, size.high}) for size in sizes]), MOST_POINTS))
    points += _between(sizes, random.Random(seed), samples)
    return [_named(sizes, point) for point in dict.fromkeys(points)], total


def _between(sizes: Sequence[Size], numbers: random.Random, samples: int) -> Iterator[Tuple[int, ...]]:
    for _ in range(samples):
        yield tuple(numbers.randint(size.low, size.high) for size in sizes)


def _named(sizes: Sequence[Size], point: Tuple[int, ...]) -> Dict[str, int]:
    return {size.name: value for size, value in zip(sizes, point)}
