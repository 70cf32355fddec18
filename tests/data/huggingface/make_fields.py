"""make_fields.py [CASE...]: writes fields.json into the folder of this file. For each case, fields.json contains the
fields of config.json that influence the results of transformers, each with a value for which the results change. A
value that transformers rejects, or that does not fit the checkpoint, counts as a change.

The file was written with torch 2.15.0 and transformers 5.23.0.
"""
import copy
import json
import pathlib
import shutil
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).parent
transformers.logging.set_verbosity_error()

# The value to try for each of these fields, because the present value does not show which other values are valid. None
# means that no value is tried. For classifier_pooling, the new value depends on the present one.
INSTEAD = {"hidden_act": "tanh", "hidden_activation": "relu", "activation": "relu", "activation_function": "relu",
           "classifier_activation": "relu", "classifier_pooling": {"cls": "mean", "mean": "cls"}, "rope_type": "nonesuch",
           "model_type": None, "architectures": None, "id2label": {"0": "a", "1": "b", "2": "c", "3": "d"},
           "dtype": None, "problem_type": None, "transformers_version": None, "label2id": None}
# Fields that change only the form in which a call returns its results.
NOT_COMPUTED = ("return_dict", "output_attentions", "output_hidden_states")


def change(name, value):
    """Returns another value for a field; None if there is no value to try."""
    if name in NOT_COMPUTED:
        return None
    if "dropout" in name:
        return 0.5
    if "activation" in name and value is None:
        return "tanh"
    if name in INSTEAD:
        other = INSTEAD[name]
        return other[value] if isinstance(other, dict) and value in ("cls", "mean") else other
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value > 1 else value + 1
    if isinstance(value, float):
        return value * 3 + 0.25
    if isinstance(value, str):
        return "nonesuch"
    if isinstance(value, list) and value and isinstance(value[0], str):
        others = {"full_attention": "sliding_attention", "sliding_attention": "full_attention"}
        return [others.get(item, item) for item in value[:1]] + value[1:]
    if isinstance(value, list) and value:
        return [change(name, value[0])] + value[1:]
    return 3 if value is None else None


def changes(config, path=()):
    """Yields the name of each field that can be changed, its new value, and a copy of the config with this value."""
    here = config
    for key in path:
        here = here[key]
    for name, value in sorted(here.items()):
        if isinstance(value, dict) and name not in INSTEAD:
            yield from changes(config, path + (name,))
            continue
        other = change(name, value)
        if other is None:
            continue
        changed = copy.deepcopy(config)
        inner = changed
        for key in path:
            inner = inner[key]
        inner[name] = other
        yield ".".join(path + (name,)), other, changed


def run(model_class, directory, inputs):
    torch.manual_seed(0)
    model = model_class.from_pretrained(directory, dtype=torch.float64).eval()
    with torch.no_grad():
        outputs = model(**inputs)
    return [value for name, value in outputs.items() if name == "last_hidden_state" or "logits" in name]


def find(case):
    """Returns the fields that influence the results of the case, with the values for which they change."""
    config = json.loads((case / "config.json").read_text())
    model_class = getattr(transformers, config["architectures"][0])
    inputs = load_file(case / "inputs.safetensors")
    found = {}
    with tempfile.TemporaryDirectory() as directory:
        for file in case.glob("model*"):
            shutil.copy(file, directory)
        # Adds the defaults of fields that config.json does not contain.
        full = {**transformers.AutoConfig.from_pretrained(case).to_dict(), **config}
        file = pathlib.Path(directory) / "config.json"
        file.write_text(json.dumps(full))
        expected = run(model_class, directory, inputs)
        for name, value, changed in changes(full):
            file.write_text(json.dumps(changed))
            try:
                results = run(model_class, directory, inputs)
                same = all(result.shape == value.shape and torch.allclose(result, value, 1e-9, 1e-9, equal_nan=True)
                           for result, value in zip(results, expected))
            except Exception:
                same = False
            if not same:
                found[name] = value
    return found


FILE = HERE / "fields.json"
table = json.loads(FILE.read_text()) if FILE.exists() else {}
for case in sorted(path.parent for path in HERE.glob("*/config.json")):
    if not (case / "modules.json").exists() and (len(sys.argv) < 2 or case.name in sys.argv[1:]):
        table[case.name] = find(case)
        print(case.name, len(table[case.name]), flush=True)
lines = ",\n".join(f"  {json.dumps(case)}: {json.dumps(fields)}" for case, fields in sorted(table.items()))
FILE.write_text("{\n" + lines + "\n}\n")
