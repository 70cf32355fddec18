#!/usr/bin/env python3
"""caches.py: tests random models that read and write caches of keys and values, at many sizes in ranges.

    caches.py --heddle build/bin/heddle --kind past --seed 1 --cases 100

Each case is compiled once for its ranges and called at up to MAX_SIZES combinations of sizes. ONNX Runtime computes the
expected results; if it lacks an operator, the reference evaluator of the package onnx computes them. models.py makes
the models of each kind. The result of a case is right, refused (compiling exits with status 1 and a message), wrong, or
a crash. The exit status is 1 if a case is not right. Needs numpy, onnx, onnxruntime and safetensors.
"""
import argparse
import collections
import itertools
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load_file, save_file

from models import KINDS

MAX_SIZES = 40  # combinations of sizes for one case


def sizes_of(ranges, rng):
    """Returns up to MAX_SIZES combinations of sizes: all corners of the ranges, then others in random order."""
    names = list(ranges)
    corners = [dict(zip(names, choice)) for choice in itertools.product(*({low, high} for low, high in ranges.values()))]
    others = [dict(zip(names, choice)) for choice in itertools.product(
        *(range(low, high + 1) for low, high in ranges.values()))]
    others = [sizes for sizes in others if sizes not in corners]
    rng.shuffle(others)
    return corners + others[:max(MAX_SIZES - len(corners), 0)]


def evaluator(model):
    """Returns a function that maps a dictionary of the model's inputs to a dictionary of its expected outputs."""
    names = [output.name for output in model.graph.output]
    try:
        onnxruntime.set_default_logger_severity(4)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return lambda inputs: dict(zip(names, session.run(names, inputs)))
    except Exception as error:  # the package exports none of its exception types
        if "NOT_IMPLEMENTED" not in str(error) and "is not a registered" not in str(error):
            raise
    reference = ReferenceEvaluator(model)
    return lambda inputs: dict(zip(names, reference.run(names, inputs)))


def difference(found, expected, tolerance):
    """Returns a text about the first output that differs too much; None if there is none. `found` and `expected` map
    names to arrays."""
    for name, right in expected.items():
        if found[name].shape != right.shape or found[name].dtype != right.dtype:
            return f"{name}: {found[name].dtype}{list(found[name].shape)}, expected {right.dtype}{list(right.shape)}"
        bound = tolerance * max(1, np.abs(right).max(initial=0))
        wrong = np.argwhere(~(np.abs(found[name].astype(np.float64) - right) <= bound))
        if len(wrong):
            place = tuple(int(i) for i in wrong[0])
            return (f"{name}: {found[name][place]} instead of {right[place]} at {list(place)}; number of wrong "
                    f"elements: {len(wrong)}")
    return None


def verdict_of(case, heddle, folder, rng):
    """Compiles and runs a case. Returns ("right", ""), or "refused", "wrong" or "crash" with the reason."""
    path, library = folder / "model.onnx", folder / "model.so"
    onnx.save(case.model, path)
    dims = [word for name, (low, high) in case.ranges.items()
            for word in ("--dim", f"{name}={low}" if low == high else f"{name}={low}..{high}")]
    done = subprocess.run([heddle, "compile", path, "-o", library, "--mcpu", "native", *dims], capture_output=True, text=True)
    if done.returncode:
        return ("refused" if done.returncode == 1 and done.stderr else "crash"), " ".join(dims) + ": " + done.stderr
    expected_of = evaluator(case.model)
    for sizes in sizes_of(case.ranges, rng):
        inputs = case.inputs(sizes)
        save_file(inputs, folder / "in.safetensors")
        words = [word for name, number in sizes.items() for word in ("--dim", f"{name}={number}")]
        words = ["run", path, "--library", library, "--input", folder / "in.safetensors",
                 "--output", folder / "out.safetensors", "--threads", "1", *words]
        done = subprocess.run([heddle, *words], capture_output=True, text=True)
        if done.returncode:
            return "crash" if done.returncode != 1 else "wrong", f"{sizes}: {done.stderr}"
        if wrong := difference(load_file(folder / "out.safetensors"), expected_of(inputs), case.tolerance):
            return "wrong", f"{sizes}: {wrong}"
    return "right", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, required=True, help="the program heddle")
    parser.add_argument("--kind", choices=list(KINDS), required=True, help="kind of the cases")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first case (default: 1)")
    parser.add_argument("--cases", type=int, default=100, help="number of cases (default: 100)")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files of cases that are not right")
    chosen = parser.parse_args()
    counts = collections.Counter()
    for seed in range(chosen.seed, chosen.seed + chosen.cases):
        rng = random.Random(seed)
        case = KINDS[chosen.kind](rng, np.random.default_rng(seed))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            word, text = verdict_of(case, chosen.heddle, folder, rng)
            counts[word] += 1
            if word != "right":
                print(f"{chosen.kind}-{seed}: {word}: {case.name}: {text.strip()}", flush=True)
                if chosen.keep:
                    shutil.copytree(folder, chosen.keep / f"{chosen.kind}-{seed}", dirs_exist_ok=True)
    print(f"{chosen.kind}: {chosen.cases} cases:", ", ".join(f"{count} {word}" for word, count in counts.items()))
    return counts["right"] != chosen.cases


if __name__ == "__main__":
    sys.exit(main())
