"""Generates tokens after a group of prompts that are computed together."""
from __future__ import annotations

import dataclasses
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence

from ..errors import ArgumentError
from ..model import Model
from ..state import State
from ._prompts import Tokens
from ._reader import Reader
from .cache import PromptCache
from .completion import Writer
from .sampling import Choice, Sampler


class Step(NamedTuple):
    """A token that was generated, and the text that became complete with it."""
    token: int
    piece: str


@dataclasses.dataclass
class Group:
    """Prompts that are computed together.

    tokens: the tokens of each prompt that follow the tokens in the state.
    past: for each prompt, the number of tokens in the state that precede `tokens`.
    samplers, writers: one for each prompt.
    cache, key: the cache that contains the state, only if there is a single prompt, and the result of its `_take`.
    """
    state: State
    tokens: List[Tokens]
    past: List[int]
    samplers: Sequence[Sampler]
    writers: Sequence[Writer]
    cache: Optional[PromptCache] = None
    key: Optional[object] = None


def follow(model: Model, group: Group, most: int, count: int) -> Iterator[List[Optional[Step]]]:
    """Yields the next token of each sequence, at most `count` times. After the end of a sequence, yields None for it;
    stops when all sequences have ended.

    most: the largest number of new tokens of a sequence in one call.
    """
    # If the model has a fixed number of sequences that is larger than the group, the other sequences repeat the last
    # prompt.
    idle = len(group.state.filled) - len(group.tokens)
    needs_logits = any(sampler.needs_logits for sampler in group.samplers)
    reader = Reader(model, group.state, most, "logits" if needs_logits else "next_token")
    owner = _Owner(group.cache, group.key)
    with owner:
        found = reader.read(group.tokens + group.tokens[-1:] * idle, group.past + group.past[-1:] * idle)
        owner.extend(group.tokens[0])
    past = [rows + len(tokens) for rows, tokens in zip(group.past, group.tokens)]
    runs, following = [True] * len(group.tokens), [0] * len(group.tokens)
    for number in range(count):
        steps: List[Optional[Step]] = [None] * len(runs)
        for i, (sampler, writer) in enumerate(zip(group.samplers, group.writers)):
            if runs[i]:
                choice: Choice = sampler.choose(found[i]) if needs_logits else sampler.add(int(found[i]))
                steps[i] = Step(choice.token, writer.push(choice, number + 1 == count))
                following[i] = choice.token
        runs = [run and writer.completion.finish_reason is None for run, writer in zip(runs, group.writers)]
        yield steps
        if not any(runs):
            return
        # The position of a sequence that has ended stays the same, so the calls need no more room for it.
        with owner:
            found = reader.step(following + following[-1:] * idle, past + past[-1:] * idle)
            owner.extend(following[:1])
        past = [rows + run for rows, run in zip(past, runs)]


class _Owner:
    """Locks a cache while a model is called with the cache's state, and adds the tokens that the call appends to the
    cache. Does nothing if there is no cache."""

    def __init__(self, cache: Optional[PromptCache], key: Optional[object]):
        self._cache, self._key = cache, key

    def __enter__(self) -> None:
        if self._cache is None:
            return
        self._cache._lock.acquire()
        try:
            self._cache._check(self._key)
        except ArgumentError:
            self._cache._lock.release()
            raise

    def __exit__(self, *unused: Any) -> None:
        if self._cache is not None:
            self._cache._lock.release()

    def extend(self, tokens: Sequence[int]) -> None:
        if self._cache is not None:
            self._cache._extend(list(tokens))
