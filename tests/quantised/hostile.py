"""hostile.py HEDDLE graphs|directories SEED COUNT [MEMORY_GB]: tests quantised files that were changed in one place.

heddle must either reject a file with a message, or compile code whose results agree with the interpreter. It must not
crash or exceed limits of processor time and memory. SEED selects the changes, and COUNT is the number of changed files.
MEMORY_GB is the limit of memory in GiB (3 by default); 0 means no limit, for a program with sanitizers.
"""
import collections
import json
import math
import os
import pathlib
import re
import sys
import tempfile

try:
    import numpy as np
    import onnx
except ImportError:
    sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)

import directories
import forms
import heddle
import mutants
import named
import verification
from bert import Bert

# Names of cases in named.py and directories.py, one for each kind of file. Each test changes the file of one case.
GRAPHS = ["dynamic-int8-columns-any-zero", "dynamic-uint8-tensor-zeros-zero", "DynamicQuantizeMatMul-int8-all",
          "MatMulIntegerToFloat-uint8-all", "qdq-columns-uint8-int8", "qdq-gemm-int8-int8", "weight-blocks-16-int8",
          "weight-4-bits-uint8", "qdq-4-bits-blocks-16-int8", "pair-blocks-uint8", "MatMulNBits-4-16-packed-zero",
          "MatMulNBits-8-floats", "MatMulNBits-4-floats", "MatMulNBits-order-packed-zero", "integers-columns-int8"]
DIRECTORIES = ["gptq-4-field", "gptq-8-word", "gptq-4-ordered-bf16", "packed-4-groups-zeros", "packed-4-zeros", "packed-8-symmetric",
               "integers-channel-zeros", "integers-tensor-zeros", "integers-groups-symmetric", "integers-rows-token-symmetric",
               "integers-rows-tensor-zeros"]


def changed_graph(random, folder):
    """Writes an ONNX file with one random change. Returns its path and a description of the change."""
    name = mutants.pick(random, GRAPHS)
    opset, *form = next(case[1:] for case in named.cases() if case[0] == name)
    model = verification.graph_of([(name, forms.seed_of(name), *form)]).model(opset)
    said = mutants.change_graph(random, model) if random.integers(20) else "cut"
    data = model.SerializeToString()
    path = folder / "model.onnx"
    path.write_bytes(data[:random.integers(len(data))] if said == "cut" else data)
    return path, f"{name}: {said}"


def changed_directory(random, folder):
    """Writes a Hugging Face directory with one random change. Returns its path and a description of the change."""
    name = mutants.pick(random, DIRECTORIES)
    hidden, inner, layer, config, _ = next(case[1:] for case in directories.encoders() if case[0] == name)
    path = folder / "model"
    Bert(np.random.default_rng(1), hidden, inner, 1 if hidden % 2 else 2, layer).write(path, config)
    how = random.integers(12)
    if how < 5:
        text = json.loads((path / "config.json").read_text())
        said = mutants.change_json(random, text["quantization_config"] if how else text)
        (path / "config.json").write_text(json.dumps(text))
    elif how == 5:
        file = path / mutants.pick(random, ["config.json", "model.safetensors"])
        data = file.read_bytes()
        file.write_bytes(data[:random.integers(len(data))])
        said = f"{file.name} is cut"
    else:
        data, said = mutants.change_tensors(random, (path / "model.safetensors").read_bytes())
        (path / "model.safetensors").write_bytes(data)
    return path, f"{name}: {said}"


def is_infinite_or_nan(line):
    """Returns whether the two results in an error line of `heddle verify` are an infinity and a NaN. Such a difference
    is not an error, because a changed file may contain an infinite scale: compiled code multiplies the sum over a
    column by the scale, and the interpreter multiplies each element, so an element 0 becomes NaN."""
    both = re.search(r"NaN or infinity does not match at \[.*\]: (\S+), expected (\S+):", line)
    return both is not None and sorted(map(kind_of, both.groups())) == ["infinite", "nan"]


def kind_of(text):
    number = float(text)
    return "nan" if math.isnan(number) else "infinite" if math.isinf(number) else "finite"


def verify_change(program, change, key, folder, memory):
    """Makes a change with change(random, folder), and runs `heddle verify` on the changed file. Returns a description
    of the change, a description of the failure or None, and "right" or the messages of heddle. `key` is the seed of the
    change, and `memory` the limit in bytes."""
    random, folder = np.random.default_rng(key), pathlib.Path(folder)
    path, said = change(random, folder)
    words = ["--dim", "batch_size=1", "--dim", "sequence_length=2"] if path.is_dir() else []
    try:
        heddle.call(program, "verify", path, *words, "--threads", "1", memory=memory)
        return said, None, "right"
    except heddle.Refused as error:
        text = str(error).replace(str(folder), "")
        failed = [line for line in error.stdout.splitlines() if line.endswith("FAIL")]
        if wrong := [line for line in failed if not is_infinite_or_nan(line)]:
            return said, "; ".join(wrong), text
        return said, None if error.stdout or "error: " in text else text, "right" if error.stdout else text
    except heddle.Crash as error:
        return said, str(error), ""


def main(program, kind, seed, count, gigabytes="3"):
    change = {"graphs": changed_graph, "directories": changed_directory}[kind]
    failures, kinds = [], collections.Counter()
    for number in range(int(count)):
        with tempfile.TemporaryDirectory() as folder:
            said, reason, text = verify_change(program, change, [int(seed), number], folder, int(gigabytes) << 30)
        if "HEDDLE_SHOW" in os.environ:
            print(f"{number} {said} -> {text[:300]}")
        kinds["right" if text == "right" else "refused"] += 1
        if reason:
            failures.append((f"{seed} {number} {said}", reason))
    print(", ".join(f"{number} {kind}" for kind, number in kinds.items()))
    verification.report(failures, int(count))


if __name__ == "__main__":
    main(*sys.argv[1:])
