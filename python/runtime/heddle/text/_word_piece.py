"""Tokenizers that cut words into the longest tokens: tokenizer.ggml.model bert."""
from __future__ import annotations

from typing import Any

from .. import _optional
from ._vocabulary import Kind, Vocabulary

_WORD = "\u2581"  # a token begins with this character if it begins a word
_INSIDE = "##"  # the package tokenizers marks the other tokens


def build(vocabulary: Vocabulary) -> Any:
    """Returns a tokenizers.Tokenizer without its added tokens. Like llama.cpp, it lowers the case of letters and
    removes accents."""
    tokenizers = _optional.require("tokenizers")
    unknown = vocabulary.text("unknown")
    if unknown is None:
        raise vocabulary.error("unknown_token_id: a tokenizer of the kind bert needs it")
    positions = {}
    for text, number in vocabulary.positions.items():
        if vocabulary.kinds[number] == Kind.NORMAL and text != unknown:
            text = text[1:] if text.startswith(_WORD) else _INSIDE + text
        positions[text] = number
    model = tokenizers.models.WordPiece(positions, unk_token=unknown, max_input_chars_per_word=1 << 20,
                                        continuing_subword_prefix=_INSIDE)
    backend = tokenizers.Tokenizer(model)
    backend.normalizer = tokenizers.normalizers.BertNormalizer()
    backend.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    backend.decoder = tokenizers.decoders.WordPiece(prefix=_INSIDE)
    return backend
