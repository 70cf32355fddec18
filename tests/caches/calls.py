#!/usr/bin/env python3
"""calls.py: tests random models whose caches of keys and values are states (--state), by sequences of calls.

    calls.py --heddle build/bin/heddle --kind past --seed 1 --cases 100

models.py makes the models of each kind. Each model is compiled once for its ranges, and is called CALLS times with
random sizes. The sequences of a batch have different lengths, and a call may return to an earlier position. ONNX
Runtime, or the reference evaluator of the package onnx, computes the expected results from caches that this script
passes from call to call. The exit status is 1 if a result is wrong, or if heddle refuses a model or fails. Needs numpy,
onnx, onnxruntime and safetensors.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper
from safetensors.numpy import load_file, save_file

from caches import difference, evaluator
from models import KINDS

CALLS, CAPACITY = 6, 12


class Whole:
    """The expected results of a model that writes to a cache and returns the whole cache. The model gets a further
    output, the negated cache, because the cache itself becomes a state and is no longer an output."""

    def __init__(self, case, sizes):
        graph = case.model.graph
        graph.node.append(helper.make_node("Neg", ["y"], ["z"]))
        graph.output.append(helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, None))
        self.case, self.evaluate = case, evaluator(case.model)
        self.cache = np.zeros_like(case.inputs(sizes)["cache"])
        self.dims = {}  # sizes that no input of a call determines

    def call(self, sizes, rng):
        """Returns the inputs of a call and the expected outputs."""
        given = self.case.inputs(sizes)
        results = self.evaluate({**given, "cache": self.cache})
        self.cache = results["y"]
        del given["cache"]
        return given, {"z": results["z"]}


class Growing:
    """The expected results of a model to whose past each call appends keys and values. They are computed for each
    sequence of the batch alone, because the pasts of the sequences have different lengths."""

    def __init__(self, case, sizes):
        self.case, self.evaluate = case, evaluator(case.model)
        none = case.inputs({**sizes, "b": 1, "p": 0})
        self.pasts = [{name: none[name] for name in ("pk", "pv")} for _ in range(sizes["b"])]
        self.dims = {"capacity": CAPACITY}

    def call(self, sizes, rng):
        given = self.case.inputs({**sizes, "p": 0})
        most = [min(past["pk"].shape[2], CAPACITY - sizes["s"]) for past in self.pasts]
        starts = [length if rng.random() < 0.7 else rng.randint(0, length) for length in most]
        rows = []
        for row, start in enumerate(starts):
            single = {name: array[row:row + 1] for name, array in given.items()}
            single.update({name: array[:, :, :start] for name, array in self.pasts[row].items()})
            results = self.evaluate(single)
            self.pasts[row] = {"pk": results["nk"], "pv": results["nv"]}
            rows.append(results["y"])
        inputs = {name: given[name] for name in ("q", "k", "v")}
        return {**inputs, "past": np.array(starts, np.int64)}, {"y": np.concatenate(rows)}


class Buffers:
    """The expected results of a model with buffers of GroupQueryAttention, which have the same capacity in every
    call."""

    def __init__(self, case, sizes):
        self.case, self.evaluate = case, evaluator(case.model)
        given = case.inputs(sizes)
        self.buffers = {name: np.zeros_like(given[name]) for name in ("pk", "pv")}
        self.lengths = np.zeros(sizes["b"], np.int64)
        self.dims = {"p": sizes["p"]}

    def call(self, sizes, rng):
        capacity = self.dims["p"]
        given = self.case.inputs({**sizes, "p": capacity})
        new = given["am"].shape[1] - capacity
        starts = [min(length, capacity - new) for length in self.lengths]
        starts = [length if rng.random() < 0.7 else rng.randint(0, length) for length in starts]
        self.lengths = np.array(starts) + new
        given["am"] = (np.arange(capacity + new) < self.lengths[:, None]).astype(np.int64)
        if "last" in given:
            given["last"] = (self.lengths - 1).astype(np.int32)
        results = self.evaluate({**given, **self.buffers})
        self.buffers = {"pk": results["nk"][:, :, :capacity], "pv": results["nv"][:, :, :capacity]}
        inputs = {name: given[name] for name in ("q", "k", "v") if name in given}
        return {**inputs, "past": np.array(starts, np.int64)}, {"y": results["y"]}


EXPECTED = {"past": Growing, "buffers": Buffers, "writes": Whole}


def make(kind, seed):
    """Returns a random case whose caches can be states, and the random generator for its calls. In a case of the kind
    `past`, Concat (not the operator Attention) must append the new rows, and no mask may be an input of the model.
    A TensorScatter that appends rows is left out, because the rows that are not filled have no defined values;
    tests/decoders.sh tests such states."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    while True:
        case = KINDS[kind](rng, numbers)
        is_growing = case.name.startswith("of operators") and "mask=none" in case.name
        rank = len(case.model.graph.input[0].type.tensor_type.shape.dim)
        is_append = "axis=2 circular=False at=True" in case.name and rank == 4
        if is_growing if kind == "past" else not is_append:
            return case, rng


def failure(case, kind, rng, heddle, folder):
    """Compiles and calls a case. Returns the reason why it fails; an empty string if it passes."""
    sizes = {name: rng.randint(low, high) for name, (low, high) in case.ranges.items()}
    expected = EXPECTED[kind](case, sizes)
    path, library, state = folder / "model.onnx", folder / "model.so", folder / "calls.state"
    onnx.save(case.model, path)
    ranges = {name: f"{low}..{high}" for name, (low, high) in case.ranges.items() if kind != "past" or name != "p"}
    ranges |= {"capacity": f"4..{CAPACITY}"} if kind == "past" else {}
    words = [word for name, text in ranges.items() for word in ("--dim", f"{name}={text}")]
    done = subprocess.run([heddle, "compile", path, "--state", "-o", library, "--mcpu", "native", *words],
                          capture_output=True, text=True)
    if done.returncode:
        return f"compile: status {done.returncode}: {done.stderr}"
    for call in range(CALLS):
        chosen = {name: rng.randint(low, high) for name, (low, high) in case.ranges.items()} | {
            name: sizes[name] for name in ("b", "p") if name in sizes}
        inputs, right = expected.call(chosen, rng)
        save_file({name: np.ascontiguousarray(array) for name, array in inputs.items()}, folder / "in.safetensors")
        words = [word for name, number in expected.dims.items() for word in ("--dim", f"{name}={number}")]
        words = ["run", path, "--state", "--library", library, "--input", folder / "in.safetensors", "--output",
                 folder / "out.safetensors", "--state-file", state, *words]
        done = subprocess.run([heddle, *words], capture_output=True, text=True)
        if done.returncode:
            return f"call {call} of {chosen}: status {done.returncode}: {done.stderr}"
        if wrong := difference(load_file(folder / "out.safetensors"), right, case.tolerance):
            return f"call {call} of {chosen}: {wrong}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, required=True, help="the program heddle")
    parser.add_argument("--kind", choices=list(EXPECTED), required=True, help="kind of the cases")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first case (default: 1)")
    parser.add_argument("--cases", type=int, default=100, help="number of cases (default: 100)")
    chosen = parser.parse_args()
    bad = 0
    for seed in range(chosen.seed, chosen.seed + chosen.cases):
        case, rng = make(chosen.kind, seed)
        with tempfile.TemporaryDirectory() as folder:
            if reason := failure(case, chosen.kind, rng, chosen.heddle, pathlib.Path(folder)):
                bad += 1
                print(f"{chosen.kind}-{seed}: {case.name}: {reason.strip()}", flush=True)
    print(f"{chosen.kind}: {chosen.cases - bad} of {chosen.cases} cases of states are right")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
