"""heddle.LanguageModel: generates tokens after prompts."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from .. import _texts
from .._compile import compile
from .._dims import Dim
from ..errors import ArgumentError
from ..model import Model, load
from ..state import State
from . import _prompts
from ._prompts import Tokens
from ._reader import Reader

Path = Union[str, "os.PathLike[str]"]
_INPUTS = ("input_ids", "past", "last", "state")


class LanguageModel:
    """A decoder from a Hugging Face directory, which keeps the keys and values of tokens that it has read.

        model = heddle.LanguageModel("SmolLM2-135M")
        model.generate([[504, 2365], [33]], max_tokens=20)   # token ids, greedily; prompts of any lengths
        for tokens in model.stream([[504, 2365]], 20): ...   # one step at a time

    The model is compiled for this machine the first time, and found in the cache afterwards. Any number of threads may
    call it.

    directory: the model's directory, whose model must have a language modeling head.
    library: an .so that was compiled from such a directory with --decoder, for machines without a compiler.
    batch_size: the number of sequences of a call, by default 1; with a range, a call has as many sequences as there are
      prompts, within the limits of the range.
    sequence_length, capacity: the number of new tokens of a call, and the maximum number of tokens of a sequence; None:
      the defaults of `heddle compile --decoder`.
    threads: as in heddle.load.
    Other arguments, such as precision, state_precision, cpus and strategies, are passed to heddle.compile.

    Raises ArgumentError if `library` was compiled without --decoder, and the exceptions of heddle.compile and
    heddle.load.
    """

    def __init__(self, directory: Optional[Path] = None, *, library: Optional[Path] = None,
                 batch_size: Optional[Dim] = None, sequence_length: Optional[Dim] = None, capacity: Optional[Dim] = None,
                 threads: Optional[int] = None, **options: Any):
        if (directory is None) == (library is None):
            raise ArgumentError("expected either a directory or a library that was compiled from a directory")
        self._stop: Tokens = []  # the tokens that end a sequence by default
        given = {"batch_size": batch_size, "sequence_length": sequence_length, "capacity": capacity}
        dims = {name: dim for name, dim in given.items() if dim is not None}
        if library is not None:
            options.update(dims)
            if options:
                raise ArgumentError(f"library: {', '.join(options)} cannot be given for a compiled library")
            self._model = load(library, threads=threads)
        else:
            path = _texts.path(directory, "directory")
            self._stop = _ends(pathlib.Path(path))
            self._model = compile(path, dims={"batch_size": 1, **dims}, decoder=True, threads=threads, **options)
        try:
            self._limits = _limits(self._model)
        except ArgumentError:
            self._model.close()
            raise

    @property
    def model(self) -> Model:
        """The model that is called."""
        return self._model

    @property
    def vocabulary(self) -> int:
        """The number of tokens in the vocabulary. Ids are less than this number."""
        return next(tensor.high for tensor in self._model.inputs if tensor.name == "input_ids") + 1  # type: ignore[operator]

    @property
    def capacity(self) -> int:
        """The maximum number of tokens of a sequence, not counting the last generated token."""
        return self._limits["capacity"][1]

    def read(self, prefix: Any) -> State:
        """Returns a state with the keys and values of these tokens, for the argument `prefix` of `generate` and
        `stream`, which copy the state, so it can be used again."""
        prompts, _ = _prompts.listed([prefix], self.vocabulary)
        state = self._state(1, len(prompts[0]))
        # If the model has a fixed number of sequences, all of them read the prefix.
        Reader(self._model, state, self._limits["sequence_length"][1]).read(prompts * len(state.filled))
        return state

    def generate(self, prompts: Any, max_tokens: int, *, stop: Any = None, prefix: Optional[State] = None) -> Any:
        """Returns the tokens that follow each prompt, generated greedily, up to and including a stop token, but at
        most `max_tokens`.

        prompts: lists of token ids, of any lengths; or a single list, for which a single list is returned.
        stop: tokens that end a sequence; None: the directory's eos_token_id; (): no stop tokens.
        prefix: the result of `read`: tokens before all prompts.

        Raises ArgumentError, before anything is computed, if a prompt is empty, has a token outside of the vocabulary,
        or leaves no room for max_tokens.
        """
        sequences, single = _prompts.listed(prompts, self.vocabulary)
        generated: List[Tokens] = [[] for _ in sequences]
        for tokens in self.stream(sequences, max_tokens, stop=stop, prefix=prefix):
            for row, token in zip(generated, tokens):
                if token is not None:
                    row.append(token)
        return generated[0] if single else generated

    def stream(self, prompts: Any, max_tokens: int, *, stop: Any = None,
               prefix: Optional[State] = None) -> Iterator[List[Optional[int]]]:
        """Yields the result of `generate` step by step: each time one more token for each prompt; None for prompts that
        have ended and, if there are more prompts than sequences in a call, for prompts that are not being processed.
        """
        sequences, _ = _prompts.listed(prompts, self.vocabulary)
        count = _prompts.positive(max_tokens, "max_tokens")
        ends = set(_prompts.stops(stop, self._stop))
        before = self._before(prefix)
        for i, tokens in enumerate(sequences):
            if before + len(tokens) + count - 1 > self.capacity:
                raise ArgumentError(f"prompts[{i}]: {before + len(tokens)} tokens and {count} new ones are too many; a "
                                    f"sequence may have at most {self.capacity + 1} tokens")
        return self._stream(sequences, count, ends, prefix, before)

    def _stream(self, sequences: List[Tokens], count: int, ends: "set[int]", prefix: Optional[State],
                before: int) -> Iterator[List[Optional[int]]]:
        most = self._limits["batch_size"][1]
        for first in range(0, len(sequences), most):
            group = sequences[first:first + most]
            room = before + max(map(len, group)) + count - 1
            for tokens in self._follow(group, count, ends, self._state(len(group), room, prefix)):
                yield [None] * first + tokens + [None] * (len(sequences) - first - len(group))

    def _follow(self, group: List[Tokens], count: int, ends: "set[int]", state: State) -> Iterator[List[Optional[int]]]:
        """Yields the next token of each sequence of a group, at most `count` times. The sequences are computed
        together. After a token in `ends`, yields None for the sequence; stops when all sequences have ended."""
        # If the model has a fixed number of sequences that is larger than the group, the other sequences repeat the
        # last prompt.
        idle = len(state.filled) - len(group)
        reader = Reader(self._model, state, self._limits["sequence_length"][1])
        past = [rows + len(tokens) for rows, tokens in zip(state.filled, group)]
        following = reader.read(group + group[-1:] * idle)
        runs = [True] * len(group)
        for number in range(count):
            yield [token if run else None for token, run in zip(following, runs)]
            runs = [run and token not in ends for token, run in zip(following, runs)]
            if not any(runs) or number + 1 == count:
                return
            # For a sequence that has ended, the call overwrites the last position, which needs no more room.
            following = reader.step(following, past + past[-1:] * idle)
            past = [rows + run for rows, run in zip(past, runs)]

    def _before(self, prefix: Optional[State]) -> int:
        """Returns the number of tokens in a prefix."""
        if prefix is None:
            return 0
        if not isinstance(prefix, State) or prefix._model is not self._model:
            raise ArgumentError("prefix: expected a result of this model's `read`")
        return prefix.filled[0]

    def _state(self, sequences: int, room: int, prefix: Optional[State] = None) -> State:
        """Returns a state for at least this number of sequences with room for at least `room` tokens each. The
        sequences are empty, or copies of the prefix."""
        wanted = {"batch_size": sequences, "capacity": room}
        ranged = {size.name for size in self._model.sizes}
        sizes = {name: max(value, self._limits[name][0]) for name, value in wanted.items() if name in ranged}
        return State(self._model, **sizes) if prefix is None else prefix.spread(0, **sizes)

    def close(self) -> None:
        self._model.close()

    def __enter__(self) -> "LanguageModel":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heddle.LanguageModel {self._model.name}: {self.vocabulary} tokens, up to {self.capacity} of a sequence>"


def _limits(model: Model) -> Dict[str, Tuple[int, int]]:
    """Returns the range (low, high) of each size, by the names that `heddle compile --decoder` gives them. Raises
    ArgumentError if the library was not compiled with --decoder, or if sequence_length cannot be 1."""
    inputs = {tensor.name: tensor for tensor in model.inputs}
    if not set(_INPUTS) <= set(inputs) or "next_token" not in {tensor.name for tensor in model.outputs}:
        raise ArgumentError(f"{model.name}: expected a library that was compiled with --decoder, which has "
                            f"{', '.join(_INPUTS)} and next_token")
    limits = {size.name: (size.low, size.high) for size in model.sizes}
    for name, extent in zip(("batch_size", "sequence_length"), inputs["input_ids"].shape):
        if isinstance(extent, int):
            limits[name] = (extent, extent)
    if "capacity" not in limits:
        rows = State(model, **{size.name: size.low for size in model.sizes if size.name == "batch_size"})._capacity
        limits["capacity"] = (rows, rows)
    if limits["sequence_length"][0] > 1:
        raise ArgumentError(f"{model.name}: expected a sequence_length whose range begins at 1, since tokens are "
                            f"generated one by one, found a range that begins at "
                            f"{limits['sequence_length'][0]}")
    return limits


def _ends(directory: pathlib.Path) -> Tokens:
    """Returns the tokens that end a text, from the first of the directory's files that lists them."""
    for name in ("generation_config.json", "config.json"):
        try:
            told = json.loads((directory / name).read_text(encoding="utf-8")).get("eos_token_id")
        except (OSError, ValueError, AttributeError):
            continue  # the compiler reports errors in the file
        if told is not None:
            return _prompts.stops(told, [])
    return []
