"""Tokenizers of SentencePiece that merge characters in the order of scores: tokenizer.ggml.model llama."""
from __future__ import annotations

from typing import Any, List, Tuple

from .. import _optional
from ._vocabulary import Vocabulary

_SPACE = "\u2581"  # in a vocabulary, this character stands for a space
_LONGEST = 4096  # characters of a token; the time for its merges grows with the square of this number


def build(vocabulary: Vocabulary) -> Any:
    """Returns a tokenizers.Tokenizer without its added tokens. Like llama.cpp, it puts a space before each part of a
    text between special tokens, unless the file says otherwise."""
    tokenizers = _optional.require("tokenizers")
    if not vocabulary.has_scores:
        raise vocabulary.error("scores: a tokenizer of the kind llama needs them")
    try:
        model = tokenizers.models.BPE(dict(vocabulary.positions), _merges(vocabulary), unk_token=vocabulary.text("unknown"),
                                      fuse_unk=True, byte_fallback=True)
    except Exception as reason:  # tokenizers raises Exception itself
        raise vocabulary.error(f"tokens: {reason}") from None
    backend = tokenizers.Tokenizer(model)
    prefix = vocabulary.flag("add_space_prefix", True)
    spaces = tokenizers.normalizers.Replace(" ", _SPACE)
    backend.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.Prepend(_SPACE), spaces]) if prefix else spaces
    decoders = tokenizers.decoders
    steps = [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    backend.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if prefix else steps)
    return backend


def _merges(vocabulary: Vocabulary) -> List[Tuple[str, str]]:
    """Returns the merges that the scores imply: two adjacent texts are merged if their concatenation is a token, and
    the merges whose results have the highest scores come first. As in llama.cpp, merges in the file are ignored. Two
    rules differ from llama.cpp: of results with equal scores the one with the smaller id comes first, and both parts
    must be tokens, as in the files that SentencePiece writes."""
    positions = vocabulary.positions
    found: List[Tuple[float, int, str, str]] = []
    for text, number in positions.items():
        if len(text) > _LONGEST:
            raise vocabulary.error(f"token {number} has {len(text)} characters, at most {_LONGEST} are supported")
        for cut in range(1, len(text)):
            left, right = text[:cut], text[cut:]
            if left in positions and right in positions:
                found.append((-vocabulary.scores[number], number, left, right))
    found.sort(key=lambda merge: merge[:2])
    return [(left, right) for _, _, left, right in found]
