"""sizes.py HEDDLE graphs|encoders SEED COUNT: compares the results of heddle for COUNT random quantised models of small
sizes with those of numpy. With `graphs`, the models are layers in ONNX files; with `encoders`, they are Hugging Face
directories."""
import os
import sys

try:
    import numpy as np
    import onnx
except ImportError:
    sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)

import directories
import forms
import onnx_forms
import packing
import verification
from packing import ROWS

OPSET, TOGETHER = 21, 40 # TOGETHER is the number of cases in one file


def varied(random):
    """Returns a random function of onnx_forms.py and its keyword arguments."""
    pick = lambda *choices: choices[random.integers(len(choices))]
    dtype, zero, flag = pick(np.int8, np.uint8), pick(None, "zeros", "any"), lambda: bool(random.integers(2))
    block = int(random.integers(1, 41))
    axis = pick(None, 0, 1, -1)
    blocks = {"axis": pick(0, 1), "block": block} if flag() else {"axis": axis}
    return pick(
        (onnx_forms.dynamic_product, {"dtype": dtype, "columns": flag(), "zero": zero, "bias": flag(), "swapped": flag()}),
        (onnx_forms.runtime_product, {"dtype": dtype, "columns": flag(), "zero": zero, "bias": flag(),
                                      "op": pick("DynamicQuantizeMatMul", "MatMulIntegerToFloat")}),
        (onnx_forms.stored_product, {"dtype": dtype, "bits": pick(4, 8), "zero": zero, **blocks}),
        (onnx_forms.static_product, {"rows_dtype": pick(np.int8, np.uint8), "dtype": dtype, "bits": pick(4, 8), "zero": zero,
                                     **blocks}),
        (onnx_forms.gemm, {"rows_dtype": pick(np.int8, np.uint8), "dtype": dtype, "zero": zero, "bias": flag(),
                           "transposed": True, "axis": pick(None, 0)}),
        (onnx_forms.gemm, {"dtype": dtype, "zero": zero, "bias": flag(), "transposed": False, "axis": pick(None, 1)}),
        (onnx_forms.pair, {"dtype": dtype, "block": block}),
        (onnx_forms.rounded_weight, {"dtype": dtype}),
        (onnx_forms.nbits, {"bits": pick(4, 8), "block": pick(16, 32, 64), "zero": pick(None, "packed", "floats"),
                            "order": flag(), "bias": flag()}),
        (onnx_forms.integers_product, {"dtype": dtype, "columns": flag(), "zero": pick("zeros", "any")}))


def graphs(program, seed, count):
    """Compares random ONNX files. Returns the failed cases (name, error)."""
    random, cases = np.random.default_rng(seed), []
    for number in range(count):
        form, how = varied(random)
        k, n = int(random.integers(1, 41)), int(random.integers(1, 21))
        rows = ((1,), (2,), (7,), (1, 3), (2, 2))[random.integers(5)]
        name = f"{number}-{form.__name__}-{'x'.join(map(str, rows))}x{k}x{n}-" + "-".join(
            f"{key}={value.__name__ if isinstance(value, type) else value}" for key, value in how.items())
        cases.append((name, seed * 1000003 + number, form, rows, k, n, how))
    return [failure for start in range(0, count, TOGETHER)
            for failure in verification.verify_graphs(program, cases[start:start + TOGETHER], OPSET)]


def encoder(random):
    """Returns the description of a random directory, like an element of directories.encoders()."""
    pick = lambda *choices: choices[random.integers(len(choices))]
    bits, dtype = pick(4, 8), pick(np.float16, np.float32, np.uint16)
    hidden, inner = (int(random.integers(2, 41)) for _ in range(2))
    if random.integers(2):
        each = 32 // bits
        hidden, inner = -(-hidden // each) * each, -(-inner // each) * each
        how = {"bits": bits, "group": pick(-1, int(random.integers(1, 41))), "subtracted": pick("field", "word", None),
               "ordered": bool(random.integers(2))}
        made = packing.gptq, packing.gptq_config, None
    else:
        group = int(random.integers(1, 9))
        strategy, packed = pick("tensor", "channel", "group"), bits == 4 or bool(random.integers(2))
        how = {"bits": bits, "packed": packed, "strategy": strategy, "symmetric": bool(random.integers(2))}
        if strategy == "group":
            how["group"], hidden, inner = group, -(-hidden // group) * group, -(-inner // group) * group
        rows = pick(None, {**ROWS, "symmetric": bool(random.integers(2)), "strategy": pick("token", "tensor")})
        made = packing.compressed, packing.compressed_config, rows
    function, config, rows = made
    name = f"{function.__name__}-{hidden}-{inner}-" + "-".join(f"{key}={value}" for key, value in how.items())
    name += f"-rows={rows['strategy']}" if rows else ""
    layer = lambda random, outputs, inputs: function(random, outputs, inputs, **how, scale_dtype=dtype)
    return name, hidden, inner, layer, config(**how, **({"rows": rows} if rows else {})), rows


def encoders(program, seed, count):
    """Compares random Hugging Face directories. Returns the failed cases (name, error)."""
    random = np.random.default_rng(seed)
    cases = [encoder(random) for _ in range(count)]
    return forms.folders(program, lambda name: True, cases, lambda program, name, case, folder:
                         directories.verify_encoder(program, *case, forms.seed_of(name), folder))[0]


if __name__ == "__main__":
    program, kind, seed, count = sys.argv[1:]
    verification.report({"graphs": graphs, "encoders": encoders}[kind](program, int(seed), int(count)), int(count))
