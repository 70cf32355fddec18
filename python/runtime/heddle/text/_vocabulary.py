"""The vocabulary of a GGUF file."""
from __future__ import annotations

import enum
from typing import Any, Dict, List, Mapping, Optional

from ..errors import ArgumentError
from .special import token_id


class Kind(enum.IntEnum):
    """The kinds of tokens (llama.cpp, include/llama.h: llama_token_type)."""
    NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


class Vocabulary:
    """The keys tokenizer.ggml.* of a file.

    path: the file, for errors.
    tokens, kinds, scores: for each token its text, its kind, and its score. If the file has no scores (has_scores is
      false), they are 0.
    """

    def __init__(self, path: str, keys: Mapping[str, Any]):
        self.path, self._keys = path, keys
        self.tokens: List[str] = self._texts("tokens", required=True)
        self.kinds = [int(kind) for kind in self._numbers("token_type", Kind.NORMAL)]
        self.has_scores = self._has("scores")
        self.scores = [float(score) for score in self._numbers("scores", 0.0)]
        self.merges: Optional[List[str]] = self._texts("merges") if self._has("merges") else None
        positions: Dict[str, int] = {}
        for i, text in enumerate(self.tokens):
            if positions.setdefault(text, i) != i:
                raise self.error(f"tokens {positions[text]} and {i} have the same text, {text!r:.60}")
        self.positions = positions

    def error(self, reason: str) -> ArgumentError:
        return ArgumentError(f"{self.path}: its tokenizer: {reason}")

    def flag(self, name: str, default: bool) -> bool:
        """Returns a key that is true or false."""
        found = self._keys.get(f"tokenizer.ggml.{name}", default)
        if not isinstance(found, bool):
            raise self.error(f"{name}: expected true or false, found {found!r:.60}")
        return found

    def name(self, key: str) -> Optional[str]:
        """Returns a key that is text, or None if it is absent."""
        found = self._keys.get(f"tokenizer.ggml.{key}")
        if found is not None and not isinstance(found, str):
            raise self.error(f"{key}: expected text, found {found!r:.60}")
        return found

    def id(self, name: str) -> Optional[int]:
        """Returns the token `name`, such as "bos", or None if there is none."""
        return token_id(self._keys, name, self.path)

    def text(self, name: str) -> Optional[str]:
        """Returns the text of the token `name`, or None if there is none."""
        found = self.id(name)
        return None if found is None else self.tokens[found]

    def _has(self, name: str) -> bool:
        return f"tokenizer.ggml.{name}" in self._keys

    def _texts(self, name: str, required: bool = False) -> List[str]:
        found = self._keys.get(f"tokenizer.ggml.{name}")
        if not isinstance(found, list) or (required and not found):
            raise self.error(f"{name}: expected a list of texts, found {found!r:.60}")
        return found

    def _numbers(self, name: str, default: float) -> Any:
        found = self._keys.get(f"tokenizer.ggml.{name}")
        if found is None:
            return [default] * len(self.tokens)
        if not hasattr(found, "dtype") or len(found) != len(self.tokens):
            raise self.error(f"{name}: expected a number for each of the {len(self.tokens)} tokens")
        return found
