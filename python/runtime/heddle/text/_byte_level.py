"""Tokenizers that merge bytes: tokenizer.ggml.model gpt2."""
from __future__ import annotations

from typing import Any, Tuple

from .. import _optional
from ._splits import SPLITS, Split, find
from ._vocabulary import Vocabulary


def build(vocabulary: Vocabulary) -> Any:
    """Returns a tokenizers.Tokenizer without its added tokens."""
    tokenizers = _optional.require("tokenizers")
    split = _split(vocabulary)
    if vocabulary.merges is None:
        raise vocabulary.error("merges: a tokenizer of the kind gpt2 needs them")
    merges = [_merge(vocabulary, i, text) for i, text in enumerate(vocabulary.merges)]
    try:
        model = tokenizers.models.BPE(dict(vocabulary.positions), merges, ignore_merges=split.ignore_merges)
    except Exception as reason:  # tokenizers raises Exception itself
        raise vocabulary.error(f"merges: {reason}") from None
    backend = tokenizers.Tokenizer(model)
    steps = [tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in split.patterns]
    steps.append(tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(steps)
    backend.decoder = tokenizers.decoders.ByteLevel()
    return backend


def adds_bos(vocabulary: Vocabulary) -> bool:
    """Whether a text begins with bos if the file does not say so."""
    return _split(vocabulary).adds_bos


def _split(vocabulary: Vocabulary) -> Split:
    name = vocabulary.name("pre")
    found = find(name)
    if found is None:
        raise vocabulary.error(f"tokenizer.ggml.pre: {name!r:.60} is not supported; supported are "
                               f"{', '.join(sorted(SPLITS))}")
    return found


def _merge(vocabulary: Vocabulary, number: int, text: str) -> Tuple[str, str]:
    """Returns the two parts of a merge. In files that do not represent bytes by printable characters, a part may begin
    with a space."""
    at = text.find(" ", 1)
    if at < 0 or at + 1 == len(text):
        raise vocabulary.error(f"merges: entry {number}, {text!r:.60}, does not consist of two tokens")
    return text[:at], text[at + 1:]
