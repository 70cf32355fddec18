"""How a token is chosen from the logits of a model."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ..errors import ArgumentError
from . import _distribution
from ._distribution import Logits

# Called with the tokens of a sequence so far, prompt included, and the logits of the next token; returns the logits to
# choose from.
LogitsProcessor = Callable[[List[int], Logits], Any]


@dataclasses.dataclass(frozen=True)
class Sampling:
    """The parameters with which a token is chosen. They are applied in the order and with the formulas of llama.cpp:
    penalties, top_k, top_p, min_p, temperature. All numbers are computed in f64.

    temperature: logits are divided by it; 0: the token with the largest logit is chosen.
    top_k: only the k tokens with the largest logits may be chosen; 0: all.
    top_p: only the most probable tokens may be chosen, as many as needed for the sum of their probabilities to reach
      this number, in (0, 1].
    min_p: only tokens whose probability is at least this part of the largest one may be chosen; in [0, 1].
    repetition_penalty: the logit of each token among the last tokens is divided by it if it is positive, otherwise
      multiplied by it; 1: no penalty.
    presence_penalty: is subtracted from the logit of each token among the last tokens.
    frequency_penalty: is subtracted from the logit of each token as often as the token is among the last tokens.
    penalty_tokens: the number of last tokens to which penalties apply; -1: all. The default is that of llama.cpp.
      Tokens of the prompt count, too; in OpenAI's interface they do not.
    seed: an integer of at least 0 that determines the random numbers; None: they differ from call to call.

    Raises ArgumentError if a parameter is out of its range.
    """
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    penalty_tokens: int = 64
    seed: Optional[int] = None

    def __post_init__(self) -> None:
        self._check("temperature", "a number of at least 0", lambda value: value >= 0)
        self._check("top_p", "a number above 0, at most 1", lambda value: 0 < value <= 1)
        self._check("min_p", "a number from 0 to 1", lambda value: 0 <= value <= 1)
        self._check("repetition_penalty", "a number above 0", lambda value: value > 0)
        for name in ("presence_penalty", "frequency_penalty"):
            self._check(name, "a number", lambda value: True)
        self._check("top_k", "a whole number of at least 0", lambda value: value >= 0, whole=True)
        self._check("penalty_tokens", "a whole number of at least -1", lambda value: value >= -1, whole=True)
        if self.seed is not None:
            self._check("seed", "a whole number of at least 0", lambda value: value >= 0, whole=True)

    def _check(self, name: str, expected: str, holds: Callable[[Any], bool], whole: bool = False) -> None:
        value = getattr(self, name)
        kinds: Any = (int, np.integer) if whole else (int, float, np.integer, np.floating)
        if isinstance(value, bool) or not isinstance(value, kinds) or not (whole or _is_finite(value)) or not holds(value):
            raise ArgumentError(f"{name}: expected {expected}, found {value!r}")

    @classmethod
    def of(cls, given: Dict[str, Any]) -> "Sampling":
        """Returns the parameters with these names. Raises ArgumentError if a name is unknown."""
        names = [field.name for field in dataclasses.fields(cls)]
        for name in given:
            if name not in names:
                raise ArgumentError(f"no parameter is called {name!r}; the parameters of sampling are {', '.join(names)}")
        return cls(**given)

    @property
    def is_greedy(self) -> bool:
        """Whether the token with the largest logit of the model is chosen."""
        penalties = self.repetition_penalty, self.presence_penalty, self.frequency_penalty
        return self.temperature == 0 and penalties == (1, 0, 0)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond f64
        return False


class Choice(NamedTuple):
    """A token that was chosen.

    logprob: the logarithm of the probability that the model gave to the token; None if it was not wanted.
    top: the most probable tokens with the logarithms of their probabilities, best first.
    """
    token: int
    logprob: Optional[float] = None
    top: Tuple[Tuple[int, float], ...] = ()


class Sampler:
    """Chooses the tokens of one sequence.

    prompt: the tokens that precede the first token that is chosen.
    number: the number of the sequence in its call; sequences of a call have different random numbers.
    logprobs: how many of the most probable tokens each choice lists; None: choices have no log-probabilities.
    processor: changes the logits before anything else does.
    """

    def __init__(self, sampling: Sampling, prompt: Sequence[int], number: int = 0, *, logprobs: Optional[int] = None,
                 processor: Optional[LogitsProcessor] = None):
        self._sampling, self._tokens, self._logprobs, self._processor = sampling, list(prompt), logprobs, processor
        self._random = np.random.default_rng(None if sampling.seed is None else [sampling.seed, number])

    @property
    def needs_logits(self) -> bool:
        """Whether `choose` needs logits. If not, `add` takes the model's own next token."""
        return not (self._sampling.is_greedy and self._logprobs is None and self._processor is None)

    def add(self, token: int) -> Choice:
        """Adds a token that the model itself has chosen to the sequence."""
        self._tokens.append(token)
        return Choice(token)

    def choose(self, row: Union[Logits, Sequence[float]]) -> Choice:
        """Chooses a token from the logits of the next token, one for each token of the vocabulary.

        Raises ArgumentError if the processor returns something else than logits, or forbids all tokens.
        """
        logits = np.asarray(row, np.float64)
        changed = logits.copy() if self._processor is None else self._process(logits)
        last = self._sampling.penalty_tokens
        recent = self._tokens if last < 0 else self._tokens[max(0, len(self._tokens) - last):]
        _distribution.penalise(changed, recent, self._sampling.repetition_penalty, self._sampling.presence_penalty,
                               self._sampling.frequency_penalty)
        token = self._sample(changed)
        self._tokens.append(token)
        if self._logprobs is None:
            return Choice(token)
        every = _distribution.log_softmax(logits)
        best = _distribution.largest(every, self._logprobs)
        return Choice(token, float(every[token]), tuple((int(i), float(every[i])) for i in best))

    def _sample(self, logits: Logits) -> int:
        if self._sampling.temperature == 0:
            return int(np.argmax(logits))
        tokens, probabilities = _distribution.candidates(logits, self._sampling.temperature, self._sampling.top_k,
                                                         self._sampling.top_p, self._sampling.min_p)
        return int(tokens[_distribution.draw(probabilities, self._random.random())])

    def _process(self, logits: Logits) -> Logits:
        assert self._processor is not None
        found = self._processor(list(self._tokens), logits.copy())
        changed = np.array(found, np.float64)
        if changed.shape != logits.shape or np.isnan(changed).any():
            raise ArgumentError(f"logits_processor: expected {len(logits)} logits, found an array of shape "
                                f"{list(changed.shape)}{' with NaN' if np.isnan(changed).any() else ''}")
        if np.isposinf(changed).any():
            raise ArgumentError("logits_processor: a logit is inf; to choose a token, make all others -inf")
        if not np.isfinite(changed).any():
            raise ArgumentError("logits_processor: all tokens are forbidden")
        return changed
