"""Reads properties of text processing from the files of a model's directory: lengths, prompts, the similarity
function."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Dict, Optional

from .. import _texts
from ..errors import ArgumentError
from .._json import JsonFile

# Families whose position numbers start after the padding position.
_POSITIONS_AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")


@dataclasses.dataclass
class TextConfig:
    """The properties of text processing.

    model: the contents of config.json.
    max_seq_length: the maximum number of tokens of a text, including [CLS] and [SEP]; None if no file determines it.
    pools_prompt: whether the tokens of a prompt are pooled with those of the text.
    Other fields have the names of entries in the files.
    """
    directory: pathlib.Path
    model: JsonFile
    max_seq_length: Optional[int]
    do_lower_case: bool
    prompts: Dict[str, str]
    default_prompt_name: Optional[str]
    similarity_fn_name: Optional[str]
    truncate_dim: Optional[int]
    pools_prompt: bool
    pad_token_id: int

    @classmethod
    def read(cls, directory: "os.PathLike[str] | str") -> "TextConfig":
        folder = pathlib.Path(_texts.path(directory, "directory"))
        if not (folder / "config.json").is_file():
            raise ArgumentError(f"{folder}: expected the directory of a model, found no config.json in it")
        model, facts = JsonFile(folder / "config.json"), JsonFile(folder / "config_sentence_transformers.json")
        lengths, tokenizer = JsonFile(folder / "sentence_bert_config.json"), JsonFile(folder / "tokenizer_config.json")
        pools_prompt = True
        for module in JsonFile(folder / "modules.json", list).entries():
            if (module.take("type", str) or "").endswith("Pooling"):
                pooling = JsonFile(folder / (module.take("path", str) or "") / "config.json")
                pools_prompt = pools_prompt and pooling.take("include_prompt", bool) is not False
        return cls(folder, model, _max_length(model, lengths, tokenizer), bool(lengths.take("do_lower_case", bool)),
                   facts.take("prompts", dict) or {}, facts.take("default_prompt_name", str),
                   facts.take("similarity_fn_name", str), facts.take("truncate_dim", int), pools_prompt,
                   max(0, model.take("pad_token_id", int) or 0))


def _max_length(model: JsonFile, lengths: JsonFile, tokenizer: JsonFile) -> Optional[int]:
    """Returns the maximum number of tokens: the smaller of the length that a file gives and the number of positions.
    Returns one of them if the other is unknown, and None if both are."""
    positions = model.take("max_position_embeddings", int) or model.take("n_positions", int)
    if positions and model.take("model_type", str) in _POSITIONS_AFTER_PADDING:
        padding = model.take("pad_token_id", int)
        positions -= (1 if padding is None else padding) + 1
    told = lengths.take("max_seq_length", int) or tokenizer.take("model_max_length", (int, float))
    known = [int(n) for n in (told, positions) if n and 0 < n < 1 << 31]
    return min(known) if known else None
