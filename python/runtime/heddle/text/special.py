"""Special tokens of a tokenizer."""
from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from .. import _gguf
from ..errors import ArgumentError


@dataclasses.dataclass(frozen=True)
class Special:
    """names: the texts of special tokens by the names that chat templates use, such as bos_token.
    before, after: tokens that heddle.Tokenizer adds before and after a text, because its backend does not add them.
    chat_bos: the token that a chat begins with even if its template does not write it; None: there is none.
    """
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    before: Tuple[int, ...] = ()
    after: Tuple[int, ...] = ()
    chat_bos: Optional[int] = None


# In files of llama.cpp, tokens with these texts end a generated text, in addition to those that the file's keys name
# (llama.cpp, src/llama-vocab.cpp: special_eog_ids).
_END_TEXTS = frozenset(("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<end_of_turn>", "<|endoftext|>",
                        "<|eom_id|>", "<EOT>", "_<EOT>", "<|end_of_text|>", "<end_of_utterance>"))


def keys_of_file(path: str) -> Dict[str, Any]:
    """Returns the keys of a GGUF file that concern text."""
    return _gguf.read_keys(path, lambda key: key.startswith("tokenizer.") or key == "general.name")


def ends_of_file(path: str) -> List[int]:
    """Returns the tokens that end a generated text, from the keys of a GGUF file."""
    keys = _gguf.read_keys(path, lambda key: key.endswith("_token_id") or key == "tokenizer.ggml.tokens")
    found = {number for name in ("eos", "eot", "eom") for number in [token_id(keys, name, path)] if number is not None}
    texts = keys.get("tokenizer.ggml.tokens")
    named = {text: i for i, text in enumerate(texts if isinstance(texts, list) else ()) if text in _END_TEXTS}
    if "<|return|>" in named and "<|call|>" in named:  # in this format <|end|> ends a message, but not the answer
        named.pop("<|end|>", None)
    return sorted(found | set(named.values()))


def token_id(keys: Mapping[str, Any], name: str, path: str) -> Optional[int]:
    """Returns the token `name`, such as "eos", from the keys of a GGUF file; None if there is none."""
    key = f"tokenizer.ggml.{name}_token_id"
    found, texts = keys.get(key), keys.get("tokenizer.ggml.tokens")
    if found is None:
        return None
    count = len(texts) if isinstance(texts, list) else 0
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < max(count, 1):
        raise ArgumentError(f"{path}: key {key!r}: expected a token, 0..{count - 1}, found {found!r:.60}")
    return found


def ends_of_directory(directory: pathlib.Path) -> List[int]:
    """Returns the tokens that end a generated text, from the first of the directory's files that lists them."""
    for name in ("generation_config.json", "config.json"):
        try:
            told = json.loads((directory / name).read_text(encoding="utf-8")).get("eos_token_id")
        except (OSError, ValueError, AttributeError):
            continue  # the compiler reports errors in the file
        if told is not None:
            found = told if isinstance(told, list) else [told]
            for token in found:
                if isinstance(token, bool) or not isinstance(token, (int, np.integer)):
                    raise ArgumentError(f"{directory / name}: eos_token_id: expected token ids, found {token!r:.60}")
            return [int(token) for token in found]
    return []


def names_of_files(*contents: Dict[str, Any]) -> Dict[str, str]:
    """Returns the texts of special tokens from the contents of tokenizer_config.json and similar files; the first file
    that contains a token determines its text."""
    found: Dict[str, str] = {}
    for content in contents:
        for name, value in content.items():
            text = value.get("content") if isinstance(value, dict) else value
            if name.endswith("_token") and isinstance(text, str):
                found.setdefault(name, text)
    return found
