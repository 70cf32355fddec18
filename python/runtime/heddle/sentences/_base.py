"""The common part of encoders for single texts and for pairs: the directory, the compiled model, prompts, closing."""
from __future__ import annotations

import os
import weakref
from typing import Any, Dict, Mapping, Optional, TypeVar, Union

from .. import _executor
from .._compile import compile
from ..errors import ArgumentError
from ..model import Model, load
from ._batches import Runner
from ._checks import check_positive, check_text
from ._config import TextConfig
from ._text import Tokenizer

# The maximum number of tokens of one call, including padding; a longer text has a call of its own. The results of a
# layer for this many tokens fit into the caches of a CPU.
MAX_TOKENS = 2048
MAX_ROWS = 256  # the maximum number of texts of one call

_runners: "weakref.WeakSet[Runner]" = weakref.WeakSet()


def _after_fork() -> None:
    for runner in list(_runners):
        runner.forget_threads()


os.register_at_fork(after_in_child=_after_fork)


_Self = TypeVar("_Self", bound="TextModel")


class TextModel:
    """The base class of the encoders, which read a directory with config.json, weights and tokenizer.json. The model is
    compiled and stored in the cache, or is loaded from a library that was compiled from the directory before.

    output: the name of the model's output that an encoder returns.
    options: arguments of heddle.compile.
    """

    def __init__(self, directory: Union[str, "os.PathLike[str]"], output: str, *, library: Optional[str],
                 max_seq_length: Optional[int], threads: Optional[int], prompts: Optional[Mapping[str, str]],
                 default_prompt_name: Optional[str], options: Dict[str, Any]):
        self._config = TextConfig.read(directory)
        self._threads = _executor.check(threads)
        if max_seq_length is not None:
            check_positive(max_seq_length, "max_seq_length")
        longest = self._config.max_seq_length if max_seq_length is None else int(max_seq_length)
        if not longest:
            raise ArgumentError(f"{self._config.directory}: no file contains the maximum length of texts; pass "
                                "max_seq_length")
        tokenizer = Tokenizer(self._config, longest)
        model = self._model(library, output, longest, options)
        limits = {size.name: size.high for size in model.sizes}
        self._longest = min(longest, limits.get("sequence_length", longest))
        tokenizer.max_length = self._longest
        self._tokenizer = tokenizer
        self._runner = Runner(model, output, tokenizer, self._config.pad_token_id, limits.get("batch_size", MAX_ROWS),
                              self._threads)
        _runners.add(self._runner)
        if prompts is not None and not isinstance(prompts, Mapping):
            raise ArgumentError(f"prompts: expected a mapping from names to texts, found {type(prompts).__name__}")
        self.prompts: Dict[str, str] = dict(self._config.prompts if prompts is None else prompts)
        self.default_prompt_name = default_prompt_name or self._config.default_prompt_name

    def _model(self, library: Optional[str], output: str, longest: int, options: Dict[str, Any]) -> Model:
        if library is not None:
            if options:
                raise ArgumentError(f"library: {', '.join(options)} cannot be given for a compiled library")
            model = load(library, threads=self._threads)
            missing = {"batch_size", "sequence_length"} - {size.name for size in model.sizes}
            if missing:
                model.close()
                raise ArgumentError(f"{library}: these sizes must be ranges: {', '.join(sorted(missing))}")
            return model
        dims = {"batch_size": range(1, MAX_ROWS + 1), "sequence_length": range(1, longest + 1)}
        return compile(self._config.directory, dims=dims, outputs=[output], threads=self._threads, **options)

    @property
    def model(self) -> Model:
        """The model that is called."""
        return self._runner.model

    @property
    def max_seq_length(self) -> int:
        """The maximum number of tokens of a text; at most the length that the model was compiled for."""
        return self._tokenizer.max_length

    @max_seq_length.setter
    def max_seq_length(self, value: int) -> None:
        check_positive(value, "max_seq_length", self._longest)
        self._tokenizer.max_length = int(value)

    def _prompt(self, prompt: Optional[str], prompt_name: Optional[str]) -> str:
        """Returns the text that is put before each text: `prompt`; if it is None, the prompt named `prompt_name`; if
        that is None too, the prompt named `default_prompt_name`, or "" if there is no default."""
        if prompt is not None:
            check_text(prompt, "prompt")
            return prompt
        what, name = "prompt_name", prompt_name
        if name is None:
            what, name = "default_prompt_name", self.default_prompt_name
        if name is None:
            return ""
        if not isinstance(name, str) or name not in self.prompts:
            names = ", ".join(self.prompts) or "there are none"
            raise ArgumentError(f"{what}: expected the name of a prompt ({names}), found {name!r}")
        check_text(self.prompts[name], f"prompts: {name!r}")
        return self.prompts[name]

    def close(self) -> None:
        self._runner.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


def as_tensors(rows: Any, convert_to_numpy: bool, convert_to_tensor: bool) -> Any:
    """Returns rows as the caller requests: an array, a torch tensor, or a list of tensors. `convert_to_tensor` has
    precedence over `convert_to_numpy`."""
    if convert_to_numpy and not convert_to_tensor:
        return rows
    import torch  # not imported before, since only callers with torch want tensors
    tensor = torch.from_numpy(rows)
    return tensor if convert_to_tensor else list(tensor)
