"""Decoders that generate tokens and keep a state."""
from .model import LanguageModel

__all__ = ["LanguageModel"]
