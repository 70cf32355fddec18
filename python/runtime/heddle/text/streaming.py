"""Text from tokens that arrive one by one."""
from __future__ import annotations

from typing import List, Optional, Sequence

from .tokenizer import Tokenizer

_BROKEN = "\ufffd"  # stands for bytes that are not UTF-8, such as the first bytes of a character
_CONTEXT = 4  # preceding tokens that decide how a token is decoded, for example whether with a space
_MOST = 64  # last tokens of a prompt among which the beginning of a character is searched for


class TokenText:
    """Decodes tokens one by one. The pieces together are the text of all tokens; a piece ends at the end of a
    character.

    before: the tokens that precede the first token that is decoded.
    """

    def __init__(self, tokenizer: Tokenizer, before: Sequence[int] = ()):
        self._tokenizer = tokenizer
        self._tokens = _end(tokenizer, before)
        # The positions in `_tokens` at which pieces begin. The last one is the number of tokens whose text was
        # returned.
        self._begins = [0, len(self._tokens)]

    def push(self, token: int) -> str:
        """Returns the text that is complete with this token; empty if its last character is not complete."""
        self._tokens.append(int(token))
        return self._take(False)

    def flush(self) -> str:
        """Returns the rest of the text. Bytes of a character that is not complete become U+FFFD."""
        return self._take(True)

    def _take(self, is_last: bool) -> str:
        shown = self._tokenizer.decode(self._tokens[:self._begins[-1]])
        text = self._tokenizer.decode(self._tokens)
        if not is_last and text.endswith(_BROKEN):
            return ""
        # Only the last tokens decide how the next one is decoded. They begin where a piece begins: if they began within a
        # character, some decoders would not decode the characters that follow.
        self._begins.append(len(self._tokens))
        first = max(begin for begin in self._begins if begin == 0 or len(self._tokens) - begin >= _CONTEXT)
        self._tokens = self._tokens[first:]
        self._begins = [begin - first for begin in self._begins if begin >= first]
        return text[len(shown):]


def _end(tokenizer: Tokenizer, tokens: Sequence[int]) -> List[int]:
    """Returns the last tokens, at least _CONTEXT, as many as needed to begin with a whole character."""
    for count in range(_CONTEXT, min(_MOST, len(tokens)) + 1):
        if _BROKEN not in tokenizer.decode(tokens[-count:]):
            return list(tokens[-count:])
    return list(tokens[-_CONTEXT:])


class StopTexts:
    """Finds the first of several texts in pieces of text. `push` returns text only when it cannot be the beginning of
    one of these texts."""

    def __init__(self, texts: Sequence[str]):
        self._texts = tuple(texts)
        self._held = ""
        self.found: Optional[str] = None  # the text that was found

    def push(self, piece: str) -> str:
        """Returns the text that precedes any stop text, as far as it is known."""
        if self.found is not None:
            return ""
        text = self._held + piece
        places = [(text.find(stop), -len(stop), stop) for stop in self._texts if stop in text]
        if places:
            at, _, self.found = min(places)
            self._held = ""
            return text[:at]
        kept = max((_overlap(text, stop) for stop in self._texts), default=0)
        self._held = text[len(text) - kept:]
        return text[:len(text) - kept]

    def flush(self) -> str:
        """Returns the text that was held back because it might have been the beginning of a stop text."""
        held, self._held = self._held, ""
        return held


def _overlap(text: str, stop: str) -> int:
    """Returns the length of the longest end of `text` that is a beginning of `stop`, but not all of it."""
    for length in range(min(len(text), len(stop) - 1), 0, -1):
        if stop.startswith(text[-length:]):
            return length
    return 0
