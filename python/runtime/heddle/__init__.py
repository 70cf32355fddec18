"""Compiled transformer models, called from Python.

    import heddle
    model = heddle.load("minilm.so")                         # a library that `heddle compile` wrote
    embedding = model(input_ids=ids).sentence_embedding      # numpy in, numpy out

    model = heddle.compile("all-MiniLM-L6-v2", dims={"batch_size": 1, "sequence_length": range(1, 513)})
    heddle.SentenceEncoder("all-MiniLM-L6-v2").encode(["A sentence."])
    heddle.LanguageModel("SmolLM2-135M").generate([[504, 2365, 7055]], max_tokens=20)
"""
from importlib import metadata as _metadata
from typing import TYPE_CHECKING, Any

from ._compile import compile
from ._types import from_bfloat16, to_bfloat16
from .description import Size, Tensor
from .device_array import DeviceArray
from .errors import (ArgumentError, CallError, ClosedError, CompileError, Error, IndexRangeError, LoadError)
from .language import Choice, Completion, LanguageModel, PromptCache, Sampling, TextStream
from .model import Model, load
from .outputs import Outputs
from .state import State
from .text import ChatTemplate, Tokenizer

try:
    __version__ = _metadata.version("heddle-runtime")
except _metadata.PackageNotFoundError:  # not installed: run from the sources
    __version__ = "unknown"

if TYPE_CHECKING:
    from .sentences import CrossEncoder, SentenceEncoder

__all__ = ["ArgumentError", "CallError", "ChatTemplate", "Choice", "ClosedError", "CompileError", "Completion", "CrossEncoder",
           "DeviceArray", "Error", "IndexRangeError", "LanguageModel", "LoadError", "Model", "Outputs", "PromptCache", "Sampling",
           "SentenceEncoder", "Size", "State", "Tensor", "TextStream", "Tokenizer", "__version__", "compile", "from_bfloat16",
           "load", "to_bfloat16"]


def __getattr__(name: str) -> Any:
    """Imports the classes for text when a program first uses them."""
    if name in ("CrossEncoder", "SentenceEncoder"):  # these classes need the package tokenizers; models do not
        from . import sentences
        return getattr(sentences, name)
    raise AttributeError(f"module 'heddle' has no attribute {name!r}")
