"""What takes sentences to embeddings, a module a family: `prepare(model, exports, threads)` returns its Encoders by name.

model: MiniLM's directory. exports: a folder that is kept, for what peers make of it. Nothing is downloaded.
"""
import dataclasses
from typing import Any, Callable, Optional


@dataclasses.dataclass
class Encoder:
    encode: Callable[[list, int], Any]  # of sentences, so many in a batch: [sentences, dimension], in their order
    default: Optional[int] = 32         # the batch that it has where nobody says; None: takes part at its best alone
    searched: bool = True               # whether it takes part at its best batch
    most: Optional[int] = None          # sentences that are timed, where its time is the same for each
