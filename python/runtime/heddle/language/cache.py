"""A cache of the keys and values of a conversation."""
from __future__ import annotations

import os
import threading
from typing import Any, List, Optional, Tuple, Union

from .. import _state_files
from ..errors import ArgumentError
from ..model import Model
from ..state import State

Path = Union[str, "os.PathLike[str]"]


class PromptCache:
    """The keys and values of the tokens of the last call that was given this cache. The next call computes only the
    tokens after the longest common beginning of its prompt and these tokens, so a further question of a chat costs no
    more than its own tokens. Only one call at a time may use a cache.

        cache = heddle.PromptCache()
        model.chat(messages, cache=cache)
        cache.save("chat.state")                       # later: heddle.PromptCache.load(model, "chat.state")
    """

    def __init__(self) -> None:
        self._state: Optional[State] = None
        self._tokens: List[int] = []
        self._user: Optional[object] = None
        self._lock = threading.Lock()  # held while a call uses the state

    @property
    def tokens(self) -> Tuple[int, ...]:
        """The tokens whose keys and values are in the cache."""
        return tuple(self._tokens)

    def save(self, path: Path) -> None:
        """Writes the cache to a file, which only the user of the process can read. Raises ArgumentError if the cache is
        empty, the file cannot be written, or the state is on a device."""
        if self._state is None:
            raise ArgumentError("the cache is empty")
        least = {size.name: size.low for size in self._state._model.sizes}
        capacity = {name: max(max(self._state.filled), least[name]) for name in self._state.sizes if name == "capacity"}
        _state_files.write(self._state.spread(0, **capacity), path, {"tokens": self._tokens})

    @classmethod
    def load(cls, model: Any, path: Path) -> "PromptCache":
        """Reads a cache that `save` wrote.

        model: the LanguageModel whose calls will use the cache.

        Raises ArgumentError if the file cannot be read, is damaged, or was written by another model.
        """
        found = cls()
        library = getattr(model, "model", model)
        if not isinstance(library, Model):
            raise ArgumentError(f"model: expected a heddle.LanguageModel, found {type(model).__name__}")
        found._state, facts = _state_files.read(library, path)
        tokens = facts.get("tokens")
        if not isinstance(tokens, list) or not all(type(token) is int and token >= 0 for token in tokens):
            raise ArgumentError(f"{path}: the file contains a state, but not the tokens of a cache")
        if any(rows < len(tokens) for rows in found._state.filled):
            raise ArgumentError(f"{path}: the state has fewer rows than tokens")
        found._tokens = tokens
        return found

    def _common(self, tokens: List[int], model: Model) -> int:
        """Returns how many of these tokens need not be computed again. The last token is always computed."""
        if self._state is None:
            return 0
        if self._state._model is not model:
            raise ArgumentError("cache: it contains the state of another model")
        pairs = zip(self._tokens, tokens[:-1])
        return next((i for i, (mine, other) in enumerate(pairs) if mine != other), min(len(self._tokens), len(tokens) - 1))

    def _take(self, state: State, tokens: List[int]) -> object:
        """Gives the cache to a call, which continues after `tokens`. Returns the key for `_check`. The lock must be
        held."""
        self._state, self._tokens, self._user = state, tokens, object()
        return self._user

    def _check(self, user: object) -> None:
        """Raises ArgumentError if another call has used the cache since `_take`."""
        if self._user is not user:
            raise ArgumentError("cache: another call has used it before this one ended")

    def _extend(self, tokens: List[int]) -> None:
        """Adds tokens whose keys and values a call has appended to the state."""
        self._tokens = self._tokens + tokens

    def __repr__(self) -> str:
        return f"<heddle.PromptCache: {len(self._tokens)} tokens>"
