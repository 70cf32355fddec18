"""heddle.Tokenizer: converts text to token ids and token ids to text."""
from __future__ import annotations

import os
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

import numpy as np

from .. import _texts
from ..errors import ArgumentError
from .special import Special

Path = Union[str, "os.PathLike[str]"]


class Tokenizer:
    """The tokenizer of a Hugging Face directory (tokenizer.json) or of a GGUF file (the keys tokenizer.ggml.*).

        tokenizer = heddle.Tokenizer.open("SmolLM2-135M-Instruct.Q4_1.gguf")
        tokenizer.decode(tokenizer.encode("Hello"))

    backend: a tokenizers.Tokenizer.
    special: the special tokens.
    templates: chat templates by name; the usual one has the name "default".
    """

    def __init__(self, backend: Any, special: Special, templates: Optional[Mapping[str, str]] = None):
        self._backend, self._special = backend, special
        self.templates: Dict[str, str] = dict(templates or {})
        backend.no_padding()
        backend.no_truncation()

    @classmethod
    def open(cls, path: Path) -> "Tokenizer":
        """Returns the tokenizer of a directory or of a .gguf file.

        Raises ArgumentError if there is no tokenizer, or it is of a kind that is not supported; Error if the package
        tokenizers is missing or too old.
        """
        from . import _directory, _gguf_tokenizer  # these modules import this one
        source = _texts.path(path, "tokenizer")
        if source.endswith(".gguf"):
            return _gguf_tokenizer.read(source)
        return _directory.read(pathlib.Path(source))

    @property
    def backend(self) -> Any:
        """The tokenizers.Tokenizer, for libraries that take one."""
        return self._backend

    @property
    def special(self) -> Mapping[str, str]:
        """The texts of special tokens by name, such as bos_token."""
        return self._special.names

    @property
    def size(self) -> int:
        """The number of tokens, including those that were added to the vocabulary."""
        return int(self._backend.get_vocab_size(with_added_tokens=True))

    def encode(self, text: str, *, special: bool = True) -> List[int]:
        """Returns the token ids of a text.

        special: whether the tokens are added that the model expects around a text, such as bos. Texts of special
          tokens within `text` become these tokens in both cases.
        """
        if not isinstance(text, str):
            raise ArgumentError(f"text: expected text, found {type(text).__name__}")
        try:
            text.isascii() or text.encode()
        except UnicodeEncodeError as reason:
            raise ArgumentError(f"text: character {reason.start} is half of a surrogate pair") from None
        ids = list(self._backend.encode(text, add_special_tokens=special).ids)
        return [*self._special.before, *ids, *self._special.after] if special else ids

    def encode_chat(self, text: str) -> List[int]:
        """Returns the token ids of a text that a chat template wrote. The template writes the special tokens itself."""
        ids = self.encode(text, special=False)
        first = self._special.chat_bos
        return ids if first is None or ids[:1] == [first] else [first, *ids]

    def decode(self, tokens: Iterable[int], *, skip_special: bool = True) -> str:
        """Returns the text of token ids. Bytes that are not UTF-8 become U+FFFD.

        skip_special: whether special tokens are left out; otherwise their texts are in the result.
        """
        return str(self._backend.decode([_number(token) for token in tokens], skip_special_tokens=skip_special))

    def token(self, number: int) -> Optional[str]:
        """Returns a token as the vocabulary spells it; None if there is no token with this id."""
        found = self._backend.id_to_token(_number(number))
        return None if found is None else str(found)

    def id(self, token: str) -> Optional[int]:
        """Returns the id of a token as the vocabulary spells it; None if there is none."""
        if not isinstance(token, str):
            raise ArgumentError(f"token: expected text, found {type(token).__name__}")
        found = self._backend.token_to_id(token)
        return None if found is None else int(found)

    def __repr__(self) -> str:
        return f"<heddle.Tokenizer: {self.size} tokens, chat templates: {', '.join(self.templates) or 'none'}>"


def _number(token: Any) -> int:
    """Returns a token id. Raises ArgumentError if it cannot be one."""
    if isinstance(token, bool) or not isinstance(token, (int, np.integer)) or not 0 <= token < 1 << 32:
        raise ArgumentError(f"tokens: expected token ids, found {token!r:.60}")
    return int(token)
