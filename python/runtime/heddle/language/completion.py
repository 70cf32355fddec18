"""The tokens and the text that a model has generated after a prompt."""
from __future__ import annotations

import dataclasses
from typing import Collection, List, Optional, Sequence

from ..text import StopTexts, TokenText, Tokenizer
from .sampling import Choice


@dataclasses.dataclass
class Completion:
    """The tokens and the text that were generated after one prompt.

    tokens: the generated tokens, including the one that ended the sequence.
    text: their text without special tokens and up to the stop text; None for prompts of token ids.
    finish_reason: "stop": a stop token or a stop text; "length": the maximum number of tokens; None: the sequence has
      not ended.
    prompt_tokens: the number of tokens of the prompt.
    choices: for each token its log-probability and the most probable tokens; empty unless `logprobs` was given.
    """
    prompt_tokens: int
    tokens: List[int] = dataclasses.field(default_factory=list)
    text: Optional[str] = None
    finish_reason: Optional[str] = None
    choices: List[Choice] = dataclasses.field(default_factory=list)


class Writer:
    """Adds tokens to a completion until a token or a text ends it.

    prompt: the tokens that precede the first token that is added.
    ends, stops: the tokens and texts that end the sequence.
    tokenizer: makes the completion's text; None: the completion has no text, and `stops` must be empty.
    is_text: whether the completion has a text.
    """

    def __init__(self, prompt: Sequence[int], ends: Collection[int], stops: Sequence[str],
                 tokenizer: Optional[Tokenizer], is_text: bool):
        self.completion = Completion(len(prompt), text="" if is_text else None)
        self._ends, self._stops = ends, StopTexts(stops)
        self._text = None if tokenizer is None else TokenText(tokenizer, prompt)

    def push(self, choice: Choice, is_last: bool) -> str:
        """Adds a token. Returns the text that follows the text returned before; it is empty if the last character is
        not complete or the text may be the beginning of a stop text.

        is_last: whether the sequence ends with this token because it has the maximum number of tokens.
        """
        done, token = self.completion, choice.token
        done.tokens.append(token)
        if choice.logprob is not None:
            done.choices.append(choice)
        is_end = token in self._ends
        piece = ""
        if self._text is not None:
            # The text of an end token is not part of the completion, even if it is not a special token.
            piece = self._stops.push(self._text.flush() if is_end else self._text.push(token))
            if self._stops.found is None and is_last and not is_end:
                piece += self._stops.push(self._text.flush())
            if is_end or is_last:
                piece += self._stops.flush()
        if is_end or self._stops.found is not None:
            done.finish_reason = "stop"
        elif is_last:
            done.finish_reason = "length"
        if done.text is not None:
            done.text += piece
        return piece
