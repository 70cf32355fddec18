"""Writes quantised Hugging Face directories and compares heddle's results with the expected results."""
import json
import pathlib
import re

import numpy as np

import packing
import tensors
import verification
from bert import Bert
from packing import ROWS, compressed, compressed_config, gptq, gptq_config

F16, F32, BF16 = np.float16, np.float32, np.uint16
DATA = pathlib.Path(__file__).parents[1] / "data" / "huggingface"
# Names of weights that are not quantised: embeddings, norms, and the layers that predict tokens.
NO_LAYER = re.compile("embed|wte|wpe|relative|lm_head|embed_out|norm|ln_")


def encoders():
    """Yields (name, hidden, inner, layer, quantization_config, rows) for each encoder. `layer` makes a linear layer
    (see Bert). `rows` is the entry input_activations of a compressed-tensors configuration, which describes how
    layers round their input rows, or None if they do not."""
    def of(name, hidden, inner, function, config, rows=None, **how):
        more = {"scale_dtype": how.pop("scale_dtype")} if "scale_dtype" in how else {}
        layer = lambda random, outputs, inputs: function(random, outputs, inputs, **how, **more)
        return name, hidden, inner, layer, config(**how, **({"rows": rows} if rows else {})), rows
    of_gptq = lambda name, hidden, inner, **how: of(name, hidden, inner, gptq, gptq_config, **how)
    of_compressed = lambda name, hidden, inner, **how: of(name, hidden, inner, compressed, compressed_config, **how)
    for bits in (4, 8):
        for subtracted in ("field", "word", None):
            yield of_gptq(f"gptq-{bits}-{subtracted}", 32, 48, bits=bits, subtracted=subtracted, group=4)
        yield of_gptq(f"gptq-{bits}-whole-f32", 32, 8, bits=bits, scale_dtype=F32)
        yield of_gptq(f"gptq-{bits}-ordered-bf16", 32, 48, bits=bits, group=8, ordered=True, scale_dtype=BF16)
        yield of_gptq(f"gptq-{bits}-ordered-last-shorter", 24, 40, bits=bits, group=16, ordered=True)
    for symmetric in (True, False):
        sign = "symmetric" if symmetric else "zeros"
        for bits in (4, 8):
            packed = {"bits": bits, "packed": True, "symmetric": symmetric}
            yield of_compressed(f"packed-{bits}-{sign}", 33, 17, **packed)
            yield of_compressed(f"packed-{bits}-tensor-{sign}", 9, 13, **packed, strategy="tensor")
            yield of_compressed(f"packed-{bits}-groups-{sign}", 16, 24, **packed, strategy="group", group=8, scale_dtype=BF16)
        for strategy in ("tensor", "channel"):
            yield of_compressed(f"integers-{strategy}-{sign}", 33, 17, strategy=strategy, symmetric=symmetric,
                                scale_dtype=F16 if symmetric else F32)
        yield of_compressed(f"integers-groups-{sign}", 32, 48, strategy="group", group=16, symmetric=symmetric)
        for strategy in ("token", "tensor"):
            rows = {**ROWS, "symmetric": symmetric, "strategy": strategy}
            yield of_compressed(f"integers-rows-{strategy}-{sign}", 33, 17, rows=rows, symmetric=symmetric)
    rows = {**ROWS, "strategy": "group", "group_size": 16}
    yield of_compressed("integers-rows-groups", 32, 16, rows=rows, strategy="group", group=16)
    yield of_compressed("packed-8-rows", 17, 9, rows=ROWS, packed=True)


def verify_encoder(program, hidden, inner, layer, config, rows, seed, folder):
    """Compares heddle with numpy on an encoder. The arguments from `hidden` to `rows` are those that `encoders` yields.
    Returns a description of the error, or None."""
    for attempt in range(2000):
        random = np.random.default_rng([seed, attempt])
        model = Bert(random, hidden, inner, 1 if hidden % 2 else 2, layer)
        ids, closest = verification.tokens(random, model.words, *((1, 2) if rows else ())), [1.0]

        def rounding(_, x):
            result, off = packing.round_rows(x, rows)
            closest.append(off)
            return result
        expected = model.hidden_state(ids, rounding) if rows else model.hidden_state(ids)
        if min(closest) > 2e-4: # f32 might round an element that is closer to a boundary to the other side.
            break
    else:
        return "no input was found whose rounded elements are far enough from rounding boundaries"
    folder = pathlib.Path(folder)
    model.write(folder / "model", config)
    found = verification.run_directory(program, folder / "model", ids, folder)
    return verification.compare(found, expected, verification.bound_of(expected))


def families():
    """Yields (name, source, function, config, how) for each family of models and each of two formats. `source` is a
    directory of tests/data/huggingface, whose weights are floats. function(random, outputs, inputs, **how) makes a
    layer, and config(**how) makes the quantization_config."""
    for path in sorted(DATA.glob("*/model.safetensors")):
        name = path.parent.name
        if name.startswith("tiny-") or "-" not in name or name in ("roberta-words", "xlm-roberta"):
            if not (path.parent / "config.json").exists():
                continue
            yield f"{name}-gptq", path.parent, gptq, gptq_config, {"group": 8, "ordered": "bert" in name}
            if "gpt2" not in name: # The layers of gpt2 are Conv1D, and compressed-tensors stores only Linear.
                yield f"{name}-packed", path.parent, compressed, compressed_config, {"bits": 4, "packed": True, "symmetric": False}


def verify_family(program, source, function, config, how, folder):
    """Compares the results of the interpreter for two directories: a quantised copy of `source`, and a copy whose
    weights are stored as floats, the numbers that the quantised weights represent. Other tests cover directories with
    weights in floats. Returns a description of the error, or None."""
    random, stored = np.random.default_rng(1), tensors.decode((source / "model.safetensors").read_bytes())
    twin, layers = dict(stored), 0
    for name, array in list(stored.items()):
        if not name.endswith(".weight") or array.ndim != 2 or NO_LAYER.search(name.rsplit(".", 2)[-2]) or "embed" in name:
            continue
        transposed = "gpt2" in source.name
        # GPTQ packs 8 numbers into a word, along rows and along columns. If an extent is not a multiple of 8, the
        # weight remains in floats.
        if function is gptq and (array.shape[0] % 8 or array.shape[1] % 8):
            continue
        parts, weight = function(random, *(array.shape[::-1] if transposed else array.shape), **how)
        twin[name] = (weight.T if transposed else weight).astype(np.float32)
        del stored[name]
        stored |= {f"{name[:-len('.weight')]}.{part}": value for part, value in parts.items()}
        layers += 1
    text, results = json.loads((source / "config.json").read_text()), []
    ids = verification.tokens(random, 11)
    for place, held, more in (("quantised", stored, {"quantization_config": config(**how)}), ("floats", twin, {})):
        path = pathlib.Path(folder) / place
        path.mkdir()
        (path / "config.json").write_text(json.dumps({**text, **more}))
        (path / "model.safetensors").write_bytes(tensors.encode(held))
        results.append(verification.run_directory(program, path, ids, folder, "--interpret"))
    if layers < 2:
        return f"only {layers} layers were quantised, expected at least 2"
    return verification.compare(results[0], results[1].astype(np.float64), verification.bound_of(results[1]))
