"""Calls a decoder with tokens of several sequences of different lengths."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ..model import Model
from ..state import State
from ._prompts import Tokens


class Reader:
    """Calls a decoder with the sequences of a state.

    most: the largest number of new tokens of a sequence in one call.
    output: the output that calls return, next_token or logits.
    """

    def __init__(self, model: Model, state: State, most: int, output: str = "next_token"):
        self._model, self._state, self._most, self._output = model, state, most, output

    def read(self, sequences: Sequence[Tokens], base: Sequence[int]) -> Any:
        """Appends sequences[i], which must not be empty, after the first base[i] tokens of sequence i of the state.
        Returns the output after the last token of each sequence."""
        longest = max(len(tokens) for tokens in sequences)
        length = min(self._most, longest)
        for start in range(0, longest, length):
            begin = min(start, longest - length)
            # A call passes `length` tokens of each sequence, or all tokens of a shorter one. If fewer than `length`
            # tokens of a sequence remain, the call passes its last `length` tokens, some of them again. So no sequence
            # needs more room than the longest one, and the last call returns the output of each sequence.
            begins = [min(begin, max(len(tokens) - length, 0)) for tokens in sequences]
            parts = [tokens[i:i + length] for tokens, i in zip(sequences, begins)]
            following = self._call(parts, [rows + i for rows, i in zip(base, begins)], length)
        return following

    def step(self, tokens: Sequence[int], past: Sequence[int]) -> Any:
        """Appends one token to each sequence, at the positions `past`, and returns the output of each."""
        return self._call([[token] for token in tokens], past, 1)

    def _call(self, parts: Sequence[Tokens], past: Sequence[int], length: int) -> Any:
        """Calls the decoder once with the tokens parts[i], at most `length`, of each sequence i. They follow the first
        past[i] tokens in the state. Returns the output of each sequence."""
        ids = np.zeros((len(parts), length), np.int64)
        for row, part in zip(ids, parts):
            row[:len(part)] = part
        inputs = {"input_ids": ids, "past": np.array(past, np.int64), "state": self._state,
                  "last": np.array([len(part) - 1 for part in parts], np.int64)}
        return self._model.run(inputs, outputs=[self._output])[self._output]
