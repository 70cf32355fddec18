"""Converts text to token ids."""
from __future__ import annotations

from typing import Any, List, Sequence, Tuple, Union

from .. import _optional
from ..errors import ArgumentError
from ._config import TextConfig

Text = Union[str, Tuple[str, str]]

# If a text is much longer than the model's limit, only a prefix is passed to the tokenizer, first with at least this
# number of characters for each token of the limit. The prefix grows until it has as many tokens as the limit allows, or
# is the whole text.
_CHARACTERS_PER_TOKEN = 32


class Tokens:
    """The tokens of a text or a pair: ids, and for each token the number (0 or 1) of its text in the pair."""
    __slots__ = ("ids", "types")

    def __init__(self, ids: List[int], types: List[int]):
        self.ids, self.types = ids, types

    def __len__(self) -> int:
        return len(self.ids)


class Tokenizer:
    """The tokenizer.json of a directory. Truncates texts to `max_length` tokens; in a pair, the longer text is
    truncated first."""

    def __init__(self, config: TextConfig, max_length: int):
        tokenizers = _optional.require("tokenizers")
        file = config.directory / "tokenizer.json"
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(file))
        except Exception as reason:  # tokenizers raises Exception itself
            raise ArgumentError(f"{file}: {reason}") from None
        if config.do_lower_case:
            lower = tokenizers.normalizers.Lowercase()
            before = self._tokenizer.normalizer
            self._tokenizer.normalizer = tokenizers.normalizers.Sequence([lower, before]) if before else lower
        self._tokenizer.no_padding()
        self.max_length = max_length

    @property
    def max_length(self) -> int:
        return self._max_length

    @max_length.setter
    def max_length(self, value: int) -> None:
        self._max_length = value
        self._tokenizer.enable_truncation(max_length=value)

    @property
    def vocabulary_size(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def encode(self, texts: Sequence[Text]) -> List[Tokens]:
        """Returns the tokens of each text or pair."""
        most = max(self._max_length * _CHARACTERS_PER_TOKEN, 1 << 12)
        encoded = self._tokenizer.encode_batch([self._begin(text, most) for text in texts])
        return [self._grow(text, most, found) for text, found in zip(texts, encoded)]

    @staticmethod
    def _begin(text: Text, most: int) -> Text:
        return _cut(text, most) if isinstance(text, str) else (_cut(text[0], most), _cut(text[1], most))

    def _grow(self, text: Text, most: int, found: Any) -> Tokens:
        # The prefix is long enough if the tokenizer has truncated its tokens.
        while len(found.ids) < self._max_length and self._begin(text, most) != text:
            most *= 8
            found = self._tokenizer.encode_batch([self._begin(text, most)])[0]
        return Tokens(found.ids, found.type_ids)


def _cut(text: str, most: int) -> str:
    """Returns a prefix of at most `most` characters. If a longer text has white space before this limit, the prefix
    ends before the last white space."""
    if len(text) <= most:
        return text
    end = max(text.rfind(space, 0, most) for space in " \n\t")
    return text[:end] if end > 0 else text[:most]
