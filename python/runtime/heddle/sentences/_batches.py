"""Computes a model's output for any number of texts of any length: in calls of bounded size, several of which run
concurrently. The results are in the order of the texts."""
from __future__ import annotations

import collections
import concurrent.futures
from typing import Any, Callable, Deque, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from .._types import Array
from ..errors import ArgumentError
from ..model import Model
from ._progress import progress
from ._text import Text, Tokenizer, Tokens

# The maximum number of texts that are tokenized together, if possible while the previous texts are computed.
_SLAB = 2048

# Calls with more tokens than this do not take less time per token: they have more padding, and the results of a layer
# exceed the second-level cache. (MiniLM with texts of 24 tokens on a Zen 4: a text takes 0.98 times as long in
# a call of 8 texts as in a call of 32.)
_ENOUGH_TOKENS = 192


def by_length(lengths: Sequence[int], max_rows: int, max_tokens: int) -> Iterator[List[int]]:
    """Yields the indices of texts of similar lengths, longest first, in batches of at most `max_rows` rows and
    `max_tokens` tokens including padding; a single longer row is a batch of its own. No further row is added to a batch
    that has _ENOUGH_TOKENS tokens or more."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    begin = 0
    while begin < len(order):
        longest = max(1, lengths[order[begin]])
        rows = min(max_rows, max_tokens // longest, -(-_ENOUGH_TOKENS // longest))
        end = min(begin + max(1, rows), len(order))
        yield order[begin:end]
        begin = end


class Runner:
    """Calls a model with the inputs input_ids [batch, length] and, if the model has them, attention_mask and
    token_type_ids. Returns the output with the name `output`, which has a row for each text.

    threads: the total number of threads. Calls run concurrently on one thread each; if there are fewer calls than
      threads, they run one after another, each on all threads.
    """

    def __init__(self, model: Model, output: str, tokenizer: Tokenizer, pad_id: int, max_rows: int, threads: int):
        names = [tensor.name for tensor in model.inputs]
        if "input_ids" not in names or output not in [tensor.name for tensor in model.outputs]:
            raise ArgumentError(f"{model.path}: expected an input 'input_ids' and an output {output!r}, found "
                                f"{model!r}")
        self.model, self._output, self._tokenizer, self._pad_id = model, output, tokenizer, pad_id
        self._names, self._max_rows, self._threads = names, max_rows, threads
        self._dtypes = {tensor.name: tensor.dtype for tensor in model.inputs}
        self._pool: Optional[concurrent.futures.ThreadPoolExecutor] = None

    def run(self, texts: Sequence[Text], batch_size: int, max_tokens: int, show_progress: bool,
            finish: Callable[[Any], Any], empty: Any) -> Any:
        """Returns the output's rows for all texts, in their order. `finish` is applied to the rows of each call.
        Returns `empty` if there are no texts."""
        results: List[Any] = []
        rows = min(batch_size, self._max_rows)
        with progress(len(texts), show_progress) as done:
            for (begin, tokens), following in self._slabs(texts):
                batches = list(by_length([len(t) for t in tokens], rows, max_tokens))
                for batch, values in self._compute(tokens, batches, following):
                    values = finish(values)
                    if not results:
                        results.append(np.empty((len(texts), *values.shape[1:]), values.dtype))
                    results[0][[begin + i for i in batch]] = values
                    done(len(batch))
        return results[0] if results else empty

    def _slabs(self, texts: Sequence[Text]) -> Iterator[Tuple[Tuple[int, List[Tokens]], Callable[[], None]]]:
        """Yields the tokens of _SLAB texts at a time, with the index of the first of these texts, and a function that
        tokenizes the next texts; the caller may call the yielded function while other threads compute."""
        pieces: Deque[Tuple[int, List[Tokens]]] = collections.deque()
        starts = collections.deque(range(0, len(texts), _SLAB))

        def follow() -> None:
            if starts and len(pieces) < 1:
                begin = starts.popleft()
                pieces.append((begin, self._tokenizer.encode(texts[begin:begin + _SLAB])))

        while True:
            follow()
            if not pieces:
                return
            yield pieces.popleft(), follow

    def _compute(self, tokens: Sequence[Tokens], batches: List[List[int]], meanwhile: Callable[[], None]
                 ) -> Iterator[Tuple[List[int], Array]]:
        """Yields each batch with its rows as soon as they are computed. If calls run concurrently, calls `meanwhile`
        while other threads compute; otherwise `meanwhile` is not called."""
        if len(batches) < max(2, self._threads):
            for batch in batches:
                yield batch, self._call(tokens, batch, self._threads)
            return
        if self._pool is None:
            self._pool = concurrent.futures.ThreadPoolExecutor(self._threads, thread_name_prefix="heddle")
        waiting = {self._pool.submit(self._call, tokens, batch, 1): batch for batch in batches}
        try:
            meanwhile()
            for future in concurrent.futures.as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            for future in waiting:
                future.cancel()

    def _call(self, tokens: Sequence[Tokens], batch: Sequence[int], threads: int) -> Array:
        """Calls the model with the texts whose indices are in `batch`, padded to the longest of them."""
        length = max(1, max(len(tokens[i]) for i in batch))
        inputs: Dict[str, Array] = {name: np.full((len(batch), length), self._pad_id if name == "input_ids" else 0, self._dtypes[name])
                  for name in ("input_ids", "attention_mask", "token_type_ids") if name in self._names}
        for row, i in enumerate(batch):
            count = len(tokens[i])
            inputs["input_ids"][row, :count] = tokens[i].ids
            if "attention_mask" in inputs:
                inputs["attention_mask"][row, :count] = 1
            if "token_type_ids" in inputs:
                inputs["token_type_ids"][row, :count] = tokens[i].types
        result: Array = self.model.run(inputs, outputs=[self._output], threads=threads)[self._output]
        return result

    def forget_threads(self) -> None:
        """Drops the pool in a forked process: its threads exist only in the parent."""
        self._pool = None

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        self.model.close()
