"""Reads the tokenizer and the chat templates of a Hugging Face directory."""
from __future__ import annotations

import pathlib
from typing import Any, Dict

from .. import _optional
from .._json import JsonFile
from ..errors import ArgumentError
from .special import Special, names_of_files
from .tokenizer import Tokenizer


def read(directory: pathlib.Path) -> Tokenizer:
    """Returns the tokenizer of a directory. Raises ArgumentError if it has no tokenizer.json, or if the file is
    damaged."""
    file = directory / "tokenizer.json"
    if not file.is_file():
        hint = ""
        if (directory / "tokenizer.model").is_file() or (directory / "vocab.json").is_file():
            hint = "; transformers writes it: AutoTokenizer.from_pretrained(directory).save_pretrained(directory)"
        raise ArgumentError(f"{directory}: there is no tokenizer.json, which converts texts to tokens{hint}")
    tokenizers = _optional.require("tokenizers")
    try:
        backend = tokenizers.Tokenizer.from_file(str(file))
    except Exception as reason:  # tokenizers raises Exception itself
        raise ArgumentError(f"{file}: {reason}") from None
    config, names = JsonFile(directory / "tokenizer_config.json"), JsonFile(directory / "special_tokens_map.json")
    return Tokenizer(backend, Special(names_of_files(config.content, names.content)), _templates(directory, config))


def _templates(directory: pathlib.Path, config: JsonFile) -> Dict[str, str]:
    """Returns the chat templates by name. As in transformers, files of templates have precedence over
    tokenizer_config.json."""
    found: Dict[str, str] = {}
    told: Any = config.take("chat_template", (str, list))
    if isinstance(told, str):
        found["default"] = told
    for entry in told if isinstance(told, list) else ():
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "template")):
            raise ArgumentError(f"{config.path}: chat_template: expected objects with name and template, found "
                                f"{entry!r:.60}")
        found[entry["name"]] = entry["template"]
    files = sorted((directory / "additional_chat_templates").glob("*.jinja"))
    for name, file in [("default", directory / "chat_template.jinja"), *((file.stem, file) for file in files)]:
        if file.is_file():
            try:
                found[name] = file.read_text(encoding="utf-8")
            except (OSError, ValueError) as reason:
                raise ArgumentError(f"{file}: {reason}") from None
    return found
