"""The arguments of a call that generates tokens."""
from __future__ import annotations

from typing import Any, List, Optional

from ..errors import ArgumentError
from ..model import Model
from ..state import State
from ..text import Tokenizer
from . import _prompts
from ._prompts import Prompts
from .cache import PromptCache
from .completion import Writer
from .sampling import LogitsProcessor, Sampler, Sampling


class Request:
    """Checked arguments of LanguageModel.generate and of the methods that take the same arguments.

    model: the model that is called.
    capacity: the maximum number of tokens of a sequence, not counting the last generated token.
    """

    def __init__(self, model: Model, capacity: int, prompts: Prompts, max_tokens: Optional[int], /, *, stop: Any = None,
                 prefix: Optional[State] = None, cache: Optional[PromptCache] = None, logprobs: Optional[int] = None,
                 logits_processor: Optional[LogitsProcessor] = None, **sampling: Any):
        self.prompts, self.stops = prompts, _prompts.stops(stop)
        self.prefix, self.before = prefix, _before(model, prefix)
        self.cache = self._checked_cache(model, cache)
        self.logprobs = None if logprobs is None else _prompts.at_least(0, logprobs, "logprobs", "a number of at least 0")
        if logits_processor is not None and not callable(logits_processor):
            raise ArgumentError(f"logits_processor: expected a function, found {type(logits_processor).__name__}")
        self.processor, self.sampling = logits_processor, Sampling.of(sampling)
        self.count = self._count(capacity, max_tokens)
        if self._sampler(0, []).needs_logits and "logits" not in {tensor.name for tensor in model.outputs}:
            raise ArgumentError(f"{model.name}: the library has no output logits, which sampling and log-probabilities "
                                "need")

    @property
    def needs_tokenizer(self) -> bool:
        """Whether tokens must be converted to text."""
        return self.prompts.is_text or bool(self.stops.texts)

    def samplers(self, first: int, end: int) -> List[Sampler]:
        """Returns the samplers of prompts[first:end]."""
        return [self._sampler(i, self.prompts.sequences[i]) for i in range(first, end)]

    def writers(self, ends: List[int], tokenizer: Optional[Tokenizer]) -> List[Writer]:
        """Returns the writers of all prompts. `ends` are the tokens that end a sequence of this model."""
        tokens = set(ends if self.stops.tokens is None else self.stops.tokens)
        # A special token has no text in an answer, so a stop text that is a special token must be found by its id.
        for text in self.stops.texts:
            number = None if tokenizer is None else tokenizer.id(text)
            if tokenizer is not None and number is not None and not tokenizer.decode([number]):
                tokens.add(number)
        return [Writer(prompt, tokens, self.stops.texts, tokenizer, self.prompts.is_text)
                for prompt in self.prompts.sequences]

    def _sampler(self, number: int, prompt: List[int]) -> Sampler:
        return Sampler(self.sampling, prompt, number, logprobs=self.logprobs, processor=self.processor)

    def _checked_cache(self, model: Model, cache: Optional[PromptCache]) -> Optional[PromptCache]:
        if cache is None:
            return None
        if not isinstance(cache, PromptCache):
            raise ArgumentError(f"cache: expected a heddle.PromptCache, found {type(cache).__name__}")
        if self.prefix is not None:
            raise ArgumentError("prefix and cache cannot be given together")
        if len(self.prompts.sequences) != 1:
            raise ArgumentError(f"cache: it holds one sequence, found {len(self.prompts.sequences)} prompts")
        cache._common(self.prompts.sequences[0], model)
        return cache

    def _count(self, capacity: int, max_tokens: Optional[int]) -> int:
        """Returns the number of tokens to generate: at most `max_tokens`, or as many as fit if it is None."""
        longest = max(map(len, self.prompts.sequences), default=0)
        count = max(capacity + 1 - self.before - longest, 1)
        if max_tokens is not None:
            count = _prompts.positive(max_tokens, "max_tokens")
        for i, tokens in enumerate(self.prompts.sequences):
            if self.before + len(tokens) + count - 1 > capacity:
                raise ArgumentError(f"prompts[{i}]: {self.before + len(tokens)} tokens and {count} new ones are too many; a "
                                    f"sequence may have at most {capacity + 1} tokens")
        return count


def _before(model: Model, prefix: Optional[State]) -> int:
    """Returns the number of tokens in a prefix."""
    if prefix is None:
        return 0
    if not isinstance(prefix, State) or prefix._model is not model:
        raise ArgumentError("prefix: expected a result of this model's `read`")
    return prefix.filled[0]
