"""Text encoders with the interface of sentence-transformers. They need the package tokenizers."""
from .cross_encoder import CrossEncoder
from .encoder import SentenceEncoder

__all__ = ["CrossEncoder", "SentenceEncoder"]
