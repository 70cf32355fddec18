"""heddle.LanguageModel: generates text and tokens after prompts."""
from __future__ import annotations

import os
import pathlib
from typing import Any, Generator, Iterator, List, Mapping, Optional, Sequence, Union

from .. import _texts
from .._compile import compile
from .._dims import Dim
from ..errors import ArgumentError
from ..model import Model, load
from ..state import State
from ..text import ChatTemplate, Tokenizer
from ..text.special import ends_of_directory, ends_of_file
from . import _prompts
from ._decoding import Group, Step, follow
from ._limits import limits_of
from ._prompts import Prompts, Tokens
from ._reader import Reader
from ._request import Request
from .completion import Completion, Writer
from .text_stream import TextStream

Path = Union[str, "os.PathLike[str]"]
Message = Mapping[str, Any]


class LanguageModel:
    """A decoder from a Hugging Face directory or a GGUF file, which keeps the keys and values of tokens that it has read.

        model = heddle.LanguageModel("SmolLM2-135M-Instruct.Q4_1.gguf")
        model.chat([{"role": "user", "content": "What is the capital of France?"}])
        model.generate("The capital of France is", 20)                      # text for text
        model.generate([[504, 2365], [33]], max_tokens=20)                  # token ids for token ids, of any lengths
        for piece in model.stream("The capital of France is", 20, temperature=0.8): ...

    The model is compiled for this machine the first time; afterwards, its library is found in the cache of
    heddle.compile. Any number of threads may call the model.

    directory: the model's directory, or its .gguf file. The model must have a language modeling head.
    library: an .so that was compiled from such a model with --decoder, for machines without a compiler.
    batch_size: the number of sequences of a call, by default 1; with a range, a call has as many sequences as there are
      prompts, within the limits of the range.
    sequence_length, capacity: the number of new tokens of a call, and the maximum number of tokens of a sequence; None:
      the defaults of `heddle compile --decoder`.
    threads: as in heddle.load.
    tokenizer: the directory or .gguf file whose tokenizer and chat templates are used, or a heddle.Tokenizer; None:
      those of `directory`. They are read when a call needs them.
    Other arguments, such as precision, state_precision, cpus and strategies, are passed to heddle.compile.

    Raises ArgumentError if `library` was compiled without --decoder, and the exceptions of heddle.compile and
    heddle.load.
    """

    def __init__(self, directory: Optional[Path] = None, *, library: Optional[Path] = None,
                 batch_size: Optional[Dim] = None, sequence_length: Optional[Dim] = None, capacity: Optional[Dim] = None,
                 threads: Optional[int] = None, tokenizer: Union[Path, Tokenizer, None] = None, **options: Any):
        if (directory is None) == (library is None):
            raise ArgumentError("expected either a directory or .gguf file, or a library that was compiled from one")
        given = {"batch_size": batch_size, "sequence_length": sequence_length, "capacity": capacity}
        dims = {name: dim for name, dim in given.items() if dim is not None}
        self._tokenizer = tokenizer if isinstance(tokenizer, Tokenizer) else None
        # The paths of the tokenizer and of the model, as far as they are known.
        self._sources = [] if tokenizer is None or self._tokenizer else [_texts.path(tokenizer, "tokenizer")]
        if library is not None:
            options.update(dims)
            if options:
                raise ArgumentError(f"library: {', '.join(options)} cannot be given for a compiled library")
            self._model = load(library, threads=threads)
        else:
            path = _texts.path(directory, "directory")
            self._sources.append(path)
            self._model = compile(path, dims={"batch_size": 1, **dims}, decoder=True, threads=threads, **options)
        self._ends: Optional[Tokens] = None
        try:
            self._limits = limits_of(self._model)
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

    @property
    def ends(self) -> Tokens:
        """The tokens that end a text, according to the files of the model or else to those of the tokenizer."""
        if self._ends is None:
            self._ends = self._ends_of_files()
        return list(self._ends)

    def _ends_of_files(self) -> Tokens:
        for source in reversed(self._sources):
            found = ends_of_file(source) if source.endswith(".gguf") else ends_of_directory(pathlib.Path(source))
            if found:
                return found
        eos = None if self._tokenizer is None else self._tokenizer.id(self._tokenizer.special.get("eos_token", ""))
        return [] if eos is None else [eos]

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer. Raises ArgumentError if there is none, and the exceptions of heddle.Tokenizer.open."""
        if self._tokenizer is None:
            if not self._sources:
                raise ArgumentError(f"{self._model.name}: a compiled library has no tokenizer; pass tokenizer=, the "
                                    "directory or .gguf file of the model")
            self._tokenizer = Tokenizer.open(self._sources[0])
        return self._tokenizer

    def read(self, prefix: Any) -> State:
        """Returns a state with the keys and values of these tokens, or of this text, for the argument `prefix` of
        `generate` and of similar methods, which copy the state, so it can be used again."""
        (tokens,) = self._prompts(prefix if isinstance(prefix, str) else [prefix]).sequences
        state = self._state(1, len(tokens))
        # If the model has a fixed number of sequences, all of them read the prefix.
        count = len(state.filled)
        Reader(self._model, state, self._limits["sequence_length"][1]).read([tokens] * count, [0] * count)
        return state

    def generate(self, prompts: Any, max_tokens: Optional[int] = None, **options: Any) -> Any:
        """Returns what follows each prompt: text for text, and token ids for token ids, up to and including a stop
        token. By default, the token with the largest logit is chosen.

        prompts: texts, or lists of token ids, of any lengths; or a single text or list, for which a single result is
          returned.
        max_tokens: the maximum number of tokens that follow a prompt; None: as many as fit into the capacity.
        stop: tokens and texts that end a sequence; None: the tokens that the model's files name; (): none. Texts alone
          are added to the tokens of the model. A stop text is not part of a text that is returned.
        prefix: the result of `read`: tokens before all prompts.
        cache: a heddle.PromptCache, from which a single prompt continues.
        logprobs: how many of the most probable tokens are listed for each token in the result of `complete`; 0: only the
          token's own log-probability; None: none.
        logits_processor: a function that is called before each token with the list of the sequence's tokens and the
          logits in f64, and returns the logits to choose from; -inf forbids a token. The model's log-probabilities are
          those before this function.
        options: also the parameters of heddle.Sampling, such as temperature and seed.

        Raises ArgumentError, before anything is computed, if an argument is invalid, a prompt is empty, has a token
        outside of the vocabulary, or leaves no room for max_tokens.
        """
        request = self._request(prompts, max_tokens, options)
        found = [done.text if request.prompts.is_text else done.tokens for done in self._complete(request)]
        return found[0] if request.prompts.is_single else found

    def complete(self, prompts: Any, max_tokens: Optional[int] = None, **options: Any) -> Any:
        """Like `generate`, but returns a heddle.Completion, with log-probabilities and the reason of its end, for each
        prompt."""
        request = self._request(prompts, max_tokens, options)
        found = self._complete(request)
        return found[0] if request.prompts.is_single else found

    def stream(self, prompts: Any, max_tokens: Optional[int] = None, **options: Any) -> Any:
        """Returns the result of `generate` step by step. For a single text, this is a heddle.TextStream, an iterator over
        pieces of text. Otherwise it is an iterator over lists: each time one more token, or piece of text, for each
        prompt; None for prompts that have ended and, if there are more prompts than sequences in a call, for prompts
        that are not being processed.
        """
        request = self._request(prompts, max_tokens, options)
        if request.prompts.is_single and request.prompts.is_text:
            return self._text_stream(request)
        return self._lists(request, self._writers(request))

    def chat(self, messages: Sequence[Message], max_tokens: Optional[int] = None, **options: Any) -> str:
        """Returns the model's answer to messages.

        messages: dicts with "role" and "content", as in [{"role": "user", "content": "Hello"}].
        options: those of `generate` and of `chat_prompt`. With a `cache`, only the tokens after those of the last call
          are computed.

        Raises ArgumentError as `generate` and `chat_prompt` do.
        """
        stream = self.stream_chat(messages, max_tokens, **options)
        return "".join(stream)

    def stream_chat(self, messages: Sequence[Message], max_tokens: Optional[int] = None, *, template: str = "default",
                    tools: Optional[Sequence[Any]] = None, variables: Optional[Mapping[str, Any]] = None,
                    **options: Any) -> TextStream:
        """Like `chat`, but returns a heddle.TextStream, an iterator over the pieces of the answer."""
        prompt = self.chat_prompt(messages, template=template, tools=tools, variables=variables)
        checked = _prompts.listed(prompt, self.vocabulary, self._encode).sequences
        return self._text_stream(self._checked_request(Prompts(checked, True, True), max_tokens, options))

    def chat_prompt(self, messages: Sequence[Message], *, template: str = "default",
                    tools: Optional[Sequence[Any]] = None, variables: Optional[Mapping[str, Any]] = None) -> Tokens:
        """Returns the token ids of the prompt that the model's chat template makes of messages.

        template: the name of one of the tokenizer's templates.
        tools: descriptions of functions, as JSON values, for templates that use them.
        variables: further variables of the template, such as {"enable_thinking": False}, or documents.

        Raises ArgumentError if there is no such template, it is invalid or refuses the messages, or it tries to leave
        its sandbox; Error if the package jinja2 is missing or too old.
        """
        templates = self.tokenizer.templates
        if not isinstance(template, str) or template not in templates:
            if not templates:
                raise ArgumentError(f"{self._model.name}: the model has no chat template; `generate` continues texts")
            raise ArgumentError(f"template: expected one of {', '.join(templates)}, found {template!r:.60}")
        if variables is not None and not isinstance(variables, Mapping):
            raise ArgumentError(f"variables: expected a dict, found {type(variables).__name__}")
        given = dict(variables or {})
        for name in given:
            if not isinstance(name, str) or name in ("self", "messages", "tools"):
                raise ArgumentError(f"variables: {name!r:.60} is not the name of a further variable")
        found = ChatTemplate(templates[template], self.tokenizer.special)
        return self.tokenizer.encode_chat(found.render(messages, tools=tools, **given))

    def _encode(self, text: str) -> Tokens:
        return self.tokenizer.encode(text)

    def _prompts(self, given: Any, is_continued: bool = False) -> Prompts:
        """Returns prompts. If they continue other tokens, no special tokens are added to texts."""
        return _prompts.listed(given, self.vocabulary, lambda text: self.tokenizer.encode(text, special=not is_continued))

    def _request(self, prompts: Any, max_tokens: Optional[int], options: Mapping[str, Any]) -> Request:
        return self._checked_request(self._prompts(prompts, options.get("prefix") is not None), max_tokens, options)

    def _checked_request(self, prompts: Prompts, max_tokens: Optional[int], options: Mapping[str, Any]) -> Request:
        request = Request(self._model, self.capacity, prompts, max_tokens, **options)
        if request.needs_tokenizer:
            self.tokenizer  # an error is raised now, not when the first token is generated
        return request

    def _writers(self, request: Request) -> List[Writer]:
        return request.writers(self.ends, self.tokenizer if request.needs_tokenizer else None)

    def _complete(self, request: Request) -> List[Completion]:
        writers = self._writers(request)
        for _ in self._steps(request, writers):
            pass
        return [writer.completion for writer in writers]

    def _lists(self, request: Request, writers: List[Writer]) -> Iterator[List[Any]]:
        is_text = request.prompts.is_text
        for steps in self._steps(request, writers):
            yield [None if step is None else step.piece if is_text else step.token for step in steps]

    def _text_stream(self, request: Request) -> TextStream:
        writers = self._writers(request)
        return TextStream(self._steps(request, writers), writers[0].completion)

    def _steps(self, request: Request, writers: List[Writer]) -> Generator[List[Optional[Step]], None, None]:
        """Yields the next step of each prompt. Prompts are computed in groups of as many as a call may have."""
        sequences, most = request.prompts.sequences, self._limits["batch_size"][1]
        for first in range(0, len(sequences), most):
            end = min(first + most, len(sequences))
            group = self._group(request, first, end, writers[first:end])
            for steps in follow(self._model, group, self._limits["sequence_length"][1], request.count):
                yield [None] * first + steps + [None] * (len(sequences) - end)

    def _group(self, request: Request, first: int, end: int, writers: List[Writer]) -> Group:
        """Returns the prompts first..end - 1 with a state in which they are read."""
        tokens, samplers, cache = request.prompts.sequences[first:end], request.samplers(first, end), request.cache
        room = request.before + max(map(len, tokens)) + request.count - 1
        if cache is None:
            return Group(self._state(len(tokens), room, request.prefix), tokens, [request.before] * len(tokens), samplers,
                         writers)
        with cache._lock:
            common, state = cache._common(tokens[0], self._model), cache._state
            if state is not None and 0 < state._capacity < room:
                if state._on_device:  # such a state cannot be copied into a larger one
                    common = 0
                # Twice the capacity, so that the keys and values are seldom copied.
                state = self._state(1, max(room, min(2 * state._capacity, self.capacity)), state if common else None)
            state = state or self._state(1, room)
            key = cache._take(state, tokens[0][:common])
        return Group(state, [tokens[0][common:]], [common], samplers, writers, cache, key)

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
