"""Decoders that generate text and tokens and keep a state."""
from .cache import PromptCache
from .completion import Completion
from .model import LanguageModel
from .sampling import Choice, Sampling
from .text_stream import TextStream

__all__ = ["Choice", "Completion", "LanguageModel", "PromptCache", "Sampling", "TextStream"]
