"""Text and token ids: tokenizers of directories and of GGUF files, chat templates, and text from tokens that are
generated one by one."""
from .streaming import StopTexts, TokenText
from .template import ChatTemplate
from .tokenizer import Tokenizer

__all__ = ["ChatTemplate", "StopTexts", "TokenText", "Tokenizer"]
