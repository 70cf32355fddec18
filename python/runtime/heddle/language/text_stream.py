"""Text that is generated piece by piece."""
from __future__ import annotations

from typing import Generator, List, Optional

from ._decoding import Step
from .completion import Completion


class TextStream:
    """An iterator over the pieces of the text that follows one prompt. A piece ends at the end of a character, and no
    piece contains a part of a stop text. Most pieces are the text of one token.

        stream = model.stream("The capital of France is", 20)
        for piece in stream:
            print(piece, end="", flush=True)
        print(stream.completion.finish_reason)
    """

    def __init__(self, steps: "Generator[List[Optional[Step]], None, None]", completion: Completion):
        self._steps, self._completion = steps, completion

    @property
    def completion(self) -> Completion:
        """The tokens and the text that were generated so far."""
        return self._completion

    def __iter__(self) -> "TextStream":
        return self

    def __next__(self) -> str:
        for (step,) in self._steps:
            if step is not None and step.piece:
                return step.piece
        raise StopIteration

    def close(self) -> None:
        """Stops generating."""
        self._steps.close()
