"""Builds the tokenizer of a GGUF file from its keys."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from .. import _optional
from ..errors import ArgumentError
from . import _byte_level, _sentence_piece, _word_piece
from ._vocabulary import Kind, Vocabulary
from .special import Special, keys_of_file
from .tokenizer import Tokenizer


class _Model(NamedTuple):
    """A kind of tokenizer. build: returns a tokenizers.Tokenizer without added tokens. adds_bos, adds_eos: whether a
    text is between these tokens if the file does not say so. last: the name of the token after a text."""
    build: Callable[[Vocabulary], Any]
    adds_bos: Callable[[Vocabulary], bool]
    adds_eos: bool = False
    last: str = "eos"


# The kinds of tokenizers by the value of tokenizer.ggml.model. Their defaults are those of llama.cpp, and so is the
# spelling of "seperator".
_MODELS: Dict[str, _Model] = {
    "gpt2": _Model(_byte_level.build, _byte_level.adds_bos),
    "llama": _Model(_sentence_piece.build, lambda vocabulary: True),
    "bert": _Model(_word_piece.build, lambda vocabulary: True, True, last="seperator"),
}
# Names in chat templates of the tokens that keys of the file name.
_NAMES = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding", "cls_token": "cls",
          "sep_token": "seperator", "mask_token": "mask"}
# Special tokens after which white space is kept in all models.
_KEEP_SPACE = ("<unk>", "<s>", "<|endoftext|>")


def read(path: str) -> Tokenizer:
    """Returns the tokenizer of a file. Raises ArgumentError, which names the kind, if it is not supported."""
    keys = keys_of_file(path)
    kind = keys.get("tokenizer.ggml.model")
    if kind is None and "tokenizer.huggingface.json" not in keys:
        raise ArgumentError(f"{path}: there is no tokenizer in the file (no key tokenizer.ggml.model)")
    vocabulary = Vocabulary(path, keys)
    model = _MODELS.get(kind) if isinstance(kind, str) else None
    if "tokenizer.huggingface.json" in keys:
        return Tokenizer(_from_json(path, keys), Special(_names(vocabulary)), _templates(path, keys))
    if model is None:
        raise ArgumentError(f"{path}: tokenizer.ggml.model: {kind!r:.60} is not supported; supported are "
                            f"{', '.join(_MODELS)}")
    backend = model.build(vocabulary)
    _add_tokens(backend, vocabulary, str(keys.get("general.name", "")))
    return Tokenizer(backend, _special(vocabulary, model), _templates(path, keys))


def _from_json(path: str, keys: Mapping[str, Any]) -> Any:
    """Returns the tokenizer of a file that contains a tokenizer.json."""
    tokenizers = _optional.require("tokenizers")
    try:
        return tokenizers.Tokenizer.from_str(keys["tokenizer.huggingface.json"])
    except Exception as reason:  # tokenizers raises Exception itself
        raise ArgumentError(f"{path}: tokenizer.huggingface.json: {reason}") from None


def _add_tokens(backend: Any, vocabulary: Vocabulary, name: str) -> None:
    """Makes the tokens that are not made of merges tokens as a whole wherever their texts occur.

    name: the name of the model. In models of Phi-3, white space after a special token belongs to the token; files do
      not say so, and llama.cpp has the same rule.
    """
    strips = any(word in name.lower() for word in ("phi-3", "phi3"))
    added_token = _optional.require("tokenizers").AddedToken
    for kinds, is_special in (((Kind.CONTROL, Kind.UNKNOWN), True), ((Kind.USER_DEFINED,), False)):
        texts = [text for text, kind in zip(vocabulary.tokens, vocabulary.kinds) if kind in kinds and text]
        added = [added_token(text, normalized=False, special=is_special, rstrip=strips and text not in _KEEP_SPACE)
                 for text in texts]
        (backend.add_special_tokens if is_special else backend.add_tokens)(added)
    for text, number in vocabulary.positions.items():
        if vocabulary.kinds[number] in (Kind.CONTROL, Kind.USER_DEFINED) and text and backend.token_to_id(text) != number:
            raise vocabulary.error(f"token {number}, {text!r:.60}, cannot be represented")


def _special(vocabulary: Vocabulary, model: _Model) -> Special:
    """Returns the special tokens. Raises ArgumentError if a text must begin or end with a token that does not exist."""
    first = _required(vocabulary, "bos", vocabulary.flag("add_bos_token", model.adds_bos(vocabulary)))
    last = _required(vocabulary, model.last, vocabulary.flag("add_eos_token", model.adds_eos))
    return Special(_names(vocabulary), tuple(first), tuple(last), first[0] if first else None)


def _required(vocabulary: Vocabulary, name: str, adds: bool) -> List[int]:
    """Returns the token `name` in a list if `adds` is true, else an empty list."""
    if not adds:
        return []
    found: Optional[int] = vocabulary.id(name)
    if found is None and name == "bos":  # files of BERT may have only this name
        found = vocabulary.id("cls")
    if found is None:
        raise vocabulary.error(f"{name}_token_id: texts need this token, but the file does not name it")
    return [found]


def _names(vocabulary: Vocabulary) -> Dict[str, str]:
    found = {name: vocabulary.text(key) for name, key in _NAMES.items()}
    return {name: text for name, text in found.items() if text is not None}


def _templates(path: str, keys: Mapping[str, Any]) -> Dict[str, str]:
    """Returns the chat templates of a file by name."""
    begin = "tokenizer.chat_template"
    found = {}
    for key, value in keys.items():
        if key == begin or key.startswith(begin + "."):
            if not isinstance(value, str):
                raise ArgumentError(f"{path}: {key}: expected text, found {value!r:.60}")
            found[key[len(begin) + 1:] or "default"] = value
    return found
