"""How byte-level tokenizers split a text into words. Merges join bytes only within a word. In a GGUF file, the key
tokenizer.ggml.pre names the way of splitting.

The patterns are those of the tokenizer.json files of the named models; llama.cpp (src/llama-vocab.cpp) contains the
same patterns in the syntax of its own engine.
"""
from __future__ import annotations

from typing import Dict, Optional, Tuple

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA3 = rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_QWEN2 = rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_TEKKEN = (rf"{_BEFORE}{_UPPER}*{_LOWER}+|{_BEFORE}{_UPPER}+{_LOWER}*|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|"
           rf"{_REST}")
_GPT4O = (rf"{_BEFORE}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_BEFORE}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?|\p{{N}}{{1,3}}|"
          rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}")


class Split:
    """patterns: regular expressions. Each isolates its matches in the parts that the preceding ones left.
    ignore_merges: whether a word that is itself a token becomes this token even if the merges would not produce it.
    adds_bos: whether a text begins with the token bos unless the file says otherwise.
    """

    def __init__(self, *patterns: str, ignore_merges: bool = False, adds_bos: bool = False):
        self.patterns, self.ignore_merges, self.adds_bos = patterns, ignore_merges, adds_bos


# The ways of splitting, with the values of tokenizer.ggml.pre that name them.
_NAMED: Tuple[Tuple[Split, str], ...] = (
    (Split(_GPT2), "gpt-2 phi-2 mpt olmo jais trillion granite-docling exaone4"),
    (Split(r"\p{N}", _GPT2), "smollm starcoder refact command-r codeshell exaone minerva-7b"),
    (Split(_LLAMA3, ignore_merges=True, adds_bos=True),
     "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2"),
    (Split(_LLAMA3), "dbrx smaug-bpe"),
    (Split(_QWEN2), "qwen2 deepseek-r1-qwen stablelm2 kormo megrez"),
    (Split(_TEKKEN, ignore_merges=True, adds_bos=True), "tekken"),
    (Split(_GPT4O), "gpt-4o llama4"),
    (Split(r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]"), "default"),
)
SPLITS: Dict[str, Split] = {name: split for split, names in _NAMED for name in names.split()}


def find(name: Optional[str]) -> Optional[Split]:
    """Returns the way of splitting with a name of tokenizer.ggml.pre, or None if it is unknown. Files without this key
    are split in llama.cpp's default way."""
    return SPLITS.get("default" if name is None else name)
