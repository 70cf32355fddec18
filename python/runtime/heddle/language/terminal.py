"""heddle-chat: talks with a language model in a terminal."""
from __future__ import annotations

import argparse
import io
import sys
from typing import Any, Dict, List, Optional, Sequence

from ..errors import Error
from .cache import PromptCache
from .model import LanguageModel
from .text_stream import TextStream

_DESCRIPTION = """Answers questions with a language model: the directory of a Hugging Face model with tokenizer.json, or a
.gguf file. The model is compiled the first time. Each line of the input is a question;
the model remembers earlier ones. The end of the input (Ctrl-D) ends the program, Ctrl-C ends an answer."""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the program with these arguments, by default those of the process. Returns the exit status: 0, 1 for bad
    input, or 130 if the user has interrupted the program; wrong usage ends the process with status 2."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdin, sys.stdout):  # text that the terminal cannot show must not end the program
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with _open(options) as model:
            _Chat(model, options).run()
    except Error as reason:
        print(f"heddle-chat: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:  # the program that reads the answers has ended
        sys.stderr.close()
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="heddle-chat", description=_DESCRIPTION)
    parser.add_argument("model", help="a .gguf file, the directory of a model, or an .so with --tokenizer")
    parser.add_argument("--prompt", metavar="TEXT", help="answer this question instead of reading the input")
    parser.add_argument("--system", metavar="TEXT", help="instructions for all answers")
    parser.add_argument("--continue", dest="continues", action="store_true",
                        help="continue each text without the model's chat template and without earlier texts")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="the maximum number of tokens of an answer")
    parser.add_argument("--template", default="default", metavar="NAME", help="one of the model's chat templates")
    parser.add_argument("--tokenizer", metavar="PATH", help="the directory or .gguf file with the tokenizer")
    sampling = parser.add_argument_group("choice of tokens, see heddle.Sampling (defaults of llama.cpp)")
    sampling.add_argument("--temperature", type=float, default=0.8, metavar="T", help="default 0.8; 0: no randomness")
    sampling.add_argument("--top-k", type=int, default=40, metavar="K", help="default 40")
    sampling.add_argument("--top-p", type=float, default=0.95, metavar="P", help="default 0.95")
    sampling.add_argument("--min-p", type=float, default=0.05, metavar="P", help="default 0.05")
    sampling.add_argument("--repetition-penalty", type=float, default=1.0, metavar="X", help="default 1: none")
    sampling.add_argument("--seed", type=int, metavar="N", help="makes answers repeatable")
    compiling = parser.add_argument_group("the compiled model")
    compiling.add_argument("--precision", metavar="P", help="the precision of layers, such as int8-block")
    compiling.add_argument("--state-precision", metavar="P", help="the type of stored keys and values, such as f16")
    compiling.add_argument("--capacity", type=int, metavar="N", help="the maximum number of tokens of a conversation")
    compiling.add_argument("--threads", type=int, metavar="N", help="default: one for each physical core")
    return parser


def _open(options: argparse.Namespace) -> LanguageModel:
    more: Dict[str, Any] = {name: getattr(options, name) for name in ("precision", "state_precision", "threads", "tokenizer")
                            if getattr(options, name) is not None}
    if options.capacity is not None:
        more["capacity"] = range(1, options.capacity + 1)
    if options.model.endswith(".so"):
        return LanguageModel(library=options.model, **more)
    return LanguageModel(options.model, **more)


class _Chat:
    """A conversation."""

    def __init__(self, model: LanguageModel, options: argparse.Namespace):
        self._model, self._options, self._cache = model, options, PromptCache()
        self._messages: List[Dict[str, str]] = []
        if options.system is not None:
            self._messages.append({"role": "system", "content": options.system})
        self._sampling = {name: getattr(options, name) for name in ("temperature", "top_k", "top_p", "min_p",
                                                                    "repetition_penalty", "seed")}

    def run(self) -> None:
        """Answers the prompt of the options, or else each line of the input."""
        if self._options.prompt is not None:
            self._answer(self._options.prompt)
            return
        is_terminal = sys.stdin.isatty()
        while True:
            if is_terminal:
                print("> ", end="", flush=True)
            line = sys.stdin.readline()
            if not line:
                return
            if line.strip():
                self._answer_or_complain(line.rstrip("\n"))

    def _answer_or_complain(self, question: str) -> None:
        """Answers a question. If it is refused, for example because the conversation has become too long, the reason is
        printed, and the conversation continues without the question."""
        messages = list(self._messages)
        try:
            self._answer(question)
        except Error as reason:
            self._messages = messages
            print(f"heddle-chat: {reason} (--capacity sets the maximum number of tokens of a conversation)", file=sys.stderr)

    def _answer(self, question: str) -> None:
        stream = self._stream(question)
        try:
            for piece in stream:
                print(piece, end="", flush=True)
        except KeyboardInterrupt:
            if self._options.prompt is not None:
                raise
        print(flush=True)
        stream.close()
        self._messages.append({"role": "assistant", "content": stream.completion.text or ""})

    def _stream(self, question: str) -> TextStream:
        options: Dict[str, Any] = {"cache": self._cache, **self._sampling}
        if self._options.continues:
            found: TextStream = self._model.stream(question, self._options.max_tokens, **options)
            return found
        self._messages.append({"role": "user", "content": question})
        return self._model.stream_chat(self._messages, self._options.max_tokens, template=self._options.template, **options)


if __name__ == "__main__":
    sys.exit(main())
