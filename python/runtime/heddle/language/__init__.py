"""Tokens that follow tokens: decoders that keep a past."""
from .model import LanguageModel

__all__ = ["LanguageModel"]
