"""What the files of a model's directory say of text: lengths, prompts, how embeddings are compared."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from typing import Any, Dict, List, Optional

from ..errors import ArgumentError

# Families whose positions begin behind that of padding.
_POSITIONS_AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")


def _read(path: pathlib.Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as reason:
        raise ArgumentError(f"{path}: {reason}") from None


@dataclasses.dataclass
class TextConfig:
    """max_seq_length: tokens, those of the template ([CLS], [SEP]) included; None: no file tells."""
    directory: pathlib.Path
    model: Dict[str, Any]
    max_seq_length: Optional[int]
    do_lower_case: bool
    prompts: Dict[str, str]
    default_prompt_name: Optional[str]
    similarity_fn_name: Optional[str]
    truncate_dim: Optional[int]
    pools_prompt: bool
    module_types: List[str]

    @classmethod
    def read(cls, directory: "os.PathLike[str] | str") -> "TextConfig":
        folder = pathlib.Path(directory)
        if not (folder / "config.json").is_file():
            raise ArgumentError(f"{folder}: expected the directory of a model, found no config.json in it")
        model, sentences = _read(folder / "config.json"), _read(folder / "config_sentence_transformers.json")
        modules = _read(folder / "modules.json") or []
        lengths = _read(folder / "sentence_bert_config.json")
        pooling = [_read(folder / m.get("path", "") / "config.json") for m in modules
                   if m.get("type", "").endswith("Pooling")]
        return cls(folder, model, _max_length(model, lengths, _read(folder / "tokenizer_config.json")),
                   bool(lengths.get("do_lower_case", False)), dict(sentences.get("prompts") or {}),
                   sentences.get("default_prompt_name"), sentences.get("similarity_fn_name"),
                   sentences.get("truncate_dim"), all(p.get("include_prompt", True) for p in pooling),
                   [m.get("type", "").rpartition(".")[2] for m in modules])

    @property
    def pad_token_id(self) -> int:
        return int(self.model.get("pad_token_id") or 0)


def _max_length(model: Dict[str, Any], lengths: Dict[str, Any], tokenizer: Dict[str, Any]) -> Optional[int]:
    positions = model.get("max_position_embeddings") or model.get("n_positions")
    if positions and model.get("model_type") in _POSITIONS_AFTER_PADDING:
        positions -= (1 if model.get("pad_token_id") is None else model["pad_token_id"]) + 1
    told = lengths.get("max_seq_length") or tokenizer.get("model_max_length")
    known = [int(n) for n in (told, positions) if n and 0 < n < 1 << 31]
    return min(known) if known else None
