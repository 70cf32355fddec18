"""Encoders of text, with the interface that users of sentence-transformers know. Needs the package tokenizers."""
from .cross_encoder import CrossEncoder
from .encoder import SentenceEncoder

__all__ = ["CrossEncoder", "SentenceEncoder"]
