"""The arithmetic of sampling: penalties, and probabilities of the tokens that may be chosen."""
from __future__ import annotations

from typing import Any, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float64]

# Sorting all tokens of a vocabulary takes milliseconds. The first tokens in the order of their probabilities are
# sufficient for almost all distributions.
_FIRST = 1024


def penalise(logits: Any, tokens: Sequence[int], repetition: float, presence: float, frequency: float) -> None:
    """Changes the logits of the tokens in `tokens` in place. See Sampling."""
    if not tokens or (repetition, presence, frequency) == (1, 0, 0):
        return
    found, counts = np.unique(np.asarray(tokens, np.int64), return_counts=True)
    rows = logits[found]
    logits[found] = np.where(rows > 0, rows / repetition, rows * repetition) - counts * frequency - presence


def log_softmax(logits: Any) -> Any:
    """Returns the logarithms of the probabilities of all tokens."""
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())


def softmax(logits: Any) -> Any:
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def largest(values: Any, count: int) -> Any:
    """Returns the indices of the `count` largest values, the largest first; of equal values, the first ones."""
    count = min(count, len(values))
    if count == 0:
        return np.zeros(0, np.int64)
    least = np.partition(values, len(values) - count)[len(values) - count]
    above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
    chosen = np.concatenate([above, equal[:count - len(above)]])
    return chosen[np.argsort(-values[chosen], kind="stable")]


def candidates(logits: Any, temperature: float, top_k: int, top_p: float, min_p: float) -> Tuple[Any, Any]:
    """Returns the tokens that may be chosen, in the order of their logits, and their probabilities. See Sampling."""
    tokens = largest(logits, top_k) if top_k else np.arange(len(logits))
    left = logits[tokens]
    if top_p < 1 or min_p > 0:
        probabilities = softmax(left)
        order = _most_probable(probabilities, top_p)
        if min_p > 0:
            order = order[probabilities[order] >= min_p * probabilities[order[0]]]
        tokens, left = tokens[order], left[order]
    with np.errstate(over="ignore"):  # a quotient of -inf has the right probability, 0
        return tokens, softmax((left - left.max()) / temperature)


def _most_probable(probabilities: Any, top_p: float) -> Any:
    """Returns the indices of the most probable tokens, as many as needed for their sum to reach top_p."""
    for count in (_FIRST, len(probabilities)):
        order = largest(probabilities, count)
        if top_p == 1:
            continue
        sums = np.cumsum(probabilities[order])
        if sums[-1] >= top_p:
            return order[:int(np.searchsorted(sums, top_p)) + 1]
    return order


def draw(probabilities: Any, number: float) -> int:
    """Returns an index with the probability of its entry, for a random number in [0, 1)."""
    sums = np.cumsum(probabilities)
    found = int(np.searchsorted(sums, number * sums[-1], side="right"))
    return min(found, int(np.flatnonzero(probabilities)[-1]))
