"""Functions that map sentences to embeddings, with one module for each library that provides such functions.

Each module has a function `prepare(model, exports, threads)`, which returns the library's Encoders by name. model:
MiniLM's directory. exports: a folder for models that libraries export; later runs use these models again. Nothing is
downloaded.
"""
import dataclasses
from typing import Any, Callable, Optional


@dataclasses.dataclass
class Encoder:
    """A function that encodes sentences, and how it is measured."""
    # Encodes sentences in batches of the given size. Returns an array [sentences, dimension] in the sentences' order.
    encode: Callable[[list, int], Any]
    # The library's default batch size; None: the encoder is not measured with defaults.
    default: Optional[int] = 32
    searched: bool = True               # whether the encoder is measured at its best batch size
    # The maximum number of sentences to measure, for an encoder that takes the same time for each; None: all.
    max_sentences: Optional[int] = None
