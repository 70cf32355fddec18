"""Calls a decoder with tokens of several sequences of different lengths."""
from __future__ import annotations

from typing import Any, List, Sequence

import numpy as np

from ..model import Model
from ..state import State
from ._prompts import Tokens


class Reader:
    """Calls a decoder with the sequences of a state. In one call, a sequence gets at most `most` new tokens."""

    def __init__(self, model: Model, state: State, most: int):
        self._model, self._state, self._most = model, state, most

    def read(self, sequences: Sequence[Tokens]) -> List[int]:
        """Appends sequences[i], which must not be empty, to sequence i of the state. Returns the next token of each."""
        base = self._state.filled
        longest = max(len(tokens) for tokens in sequences)
        length = min(self._most, longest)
        for start in range(0, longest, length):
            begin = min(start, longest - length)
            # A call passes `length` tokens of each sequence, or all tokens of a shorter one. If fewer than `length`
            # tokens of a sequence remain, the call passes its last `length` tokens, some of them again. So no sequence
            # needs more room than the longest one, and the last call returns the next token of each sequence.
            begins = [min(begin, max(len(tokens) - length, 0)) for tokens in sequences]
            parts = [tokens[i:i + length] for tokens, i in zip(sequences, begins)]
            following = self._call(parts, [rows + i for rows, i in zip(base, begins)], length)
        return following

    def step(self, tokens: Sequence[int], past: Sequence[int]) -> List[int]:
        """Appends one token to each sequence, at the positions `past`, and returns the next token of each."""
        return self._call([[token] for token in tokens], past, 1)

    def _call(self, parts: Sequence[Tokens], past: Sequence[int], length: int) -> List[int]:
        """Calls the decoder once with the tokens parts[i], at most `length`, of each sequence i. They follow the first
        past[i] tokens in the state. Returns the next token of each sequence."""
        ids = np.zeros((len(parts), length), np.int64)
        for row, part in zip(ids, parts):
            row[:len(part)] = part
        inputs = {"input_ids": ids, "past": np.array(past, np.int64), "state": self._state,
                  "last": np.array([len(part) - 1 for part in parts], np.int64)}
        found: Any = self._model.run(inputs, outputs=["next_token"])["next_token"]
        return [int(token) for token in found]
