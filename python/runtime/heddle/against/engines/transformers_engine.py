"""transformers, for Hugging Face directories: in f64 and in f32, with eager attention."""
from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List, Mapping, Sequence

import torch
import transformers

from ..comparison import Expected
from . import Base, Refused

_EMBEDDING = "sentence_embedding"


def _load(directory: pathlib.Path, dtype: torch.dtype) -> Any:
    """Returns the model in a directory, with the first class that its config.json names, or else AutoModel, and with
    parameters of type `dtype`."""
    config = transformers.AutoConfig.from_pretrained(directory)
    name = (config.architectures or ["AutoModel"])[0]
    kind = getattr(transformers, name, None)
    if kind is None:
        raise Refused(f"--engine transformers: the installed version of transformers has no class {name}")
    try:
        model = kind.from_pretrained(directory, dtype=dtype, attn_implementation="eager")
    except TypeError:  # older versions have another name for dtype
        model = kind.from_pretrained(directory, torch_dtype=dtype, attn_implementation="eager")
    return model.eval()


def _pool(directory: pathlib.Path, hidden: Any, mask: Any) -> Any:
    """Returns the sentence embedding according to modules.json; None if modules.json lists a module, or its
    configuration selects a pooling, that is not implemented here."""
    modules: List[Dict[str, Any]] = json.loads((directory / "modules.json").read_text())
    for module in modules[1:]:
        kind = module["type"].rpartition(".")[2]
        if kind == "Normalize":
            hidden = torch.nn.functional.normalize(hidden, dim=-1)
        elif kind == "Pooling":
            config = json.loads((directory / module["path"] / "config.json").read_text())
            modes = sorted(name for name, value in config.items() if name.startswith("pooling_mode_") and value is True)
            weights = mask[..., None].to(hidden.dtype)
            if modes == ["pooling_mode_mean_tokens"]:
                hidden = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
            elif modes == ["pooling_mode_cls_token"]:
                hidden = hidden[:, 0]
            elif modes == ["pooling_mode_max_tokens"]:
                hidden = hidden.masked_fill(weights == 0, -1e9).max(1).values
            else:
                return None
        else:
            return None
    return hidden


class Engine(Base):
    def __init__(self, model: str, outputs: Sequence[str]):
        self._directory, self._outputs = pathlib.Path(model), outputs
        if not (self._directory / "config.json").is_file():
            raise Refused("--engine transformers: supports only directories with a config.json")
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self._models = [_load(self._directory, dtype) for dtype in (torch.float64, torch.float32)]

    def prepare(self, inputs: Dict[str, Any]) -> Dict[str, Any]:
        # With a window, the window of a padding position might contain only padding: the position attends to no key,
        # and its result is NaN. From the second layer on, all positions whose window contains this position are NaN,
        # too. Therefore the inputs have no padding.
        if "attention_mask" in inputs and getattr(self._models[0].config, "sliding_window", None):
            inputs["attention_mask"][...] = 1
        return inputs

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Expected]:
        passed = {name: torch.from_numpy(value) for name, value in inputs.items()}
        found: Dict[str, List[Any]] = {}
        for model in self._models:
            with torch.no_grad():
                result = model(**passed)
            for name in self._outputs:
                value = getattr(result, name, None)
                if name == _EMBEDDING and hasattr(result, "last_hidden_state"):
                    mask = passed.get("attention_mask", torch.ones_like(passed["input_ids"]))
                    value = _pool(self._directory, result.last_hidden_state, mask)
                if value is not None:
                    found.setdefault(name, []).append(value.numpy())
        return {name: Expected(*values) for name, values in found.items()}
