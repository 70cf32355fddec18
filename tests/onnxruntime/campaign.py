"""campaign.py HEDDLE KIND COUNT [SEED]: compares the results of COUNT random models of one kind, compiled by the
program HEDDLE, with those of ONNX Runtime. SEED (1 by default) determines the models.

KIND is a module of this folder: functions, initializers, norms, diagonals or placeholders. If the module has a
function `expected`, heddle is compared with the results of this function and not with ONNX Runtime, and the models on
which ONNX Runtime differs from these results are counted. Exits with status 1 if heddle differs for a model, or if ONNX
Runtime refuses so many models that fewer than COUNT are compared.
"""
import importlib
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import load_file, save_file

MAX_TRIES = 20  # the maximum number of models that ONNX Runtime refuses, per model that is compared


def compute(model, feeds):
    """Returns the outputs of a serialised model in ONNX Runtime. Runs in the process of an Engine."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    return session.run(None, feeds)


class Engine:
    """ONNX Runtime in a process of its own, because it never returns from some models and crashes on others."""
    # the time limit for one model, including the creation of its session
    SECONDS = 20

    def __init__(self):
        self.pool = multiprocessing.Pool(1)

    def run(self, model, feeds):
        """Returns the outputs, or None if ONNX Runtime refuses the model or takes too long."""
        try:
            return self.pool.apply_async(compute, (model.SerializeToString(), feeds)).get(self.SECONDS)
        except Exception:  # pylint: disable=broad-except; ONNX Runtime's errors have no class of their own
            self.pool.terminate()
            self.__init__()
            return None


def difference(found, wanted):
    """Returns a description of how the array `found` differs from the array `wanted`, or "" if they agree."""
    if found.shape != wanted.shape:
        return f"shape {found.shape}, expected {wanted.shape}"
    error = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    return "" if np.all(error <= 1e-5 + 1e-5 * np.abs(wanted)) else f"error {np.max(error)}"


def compare(program, model, feeds, dims, wanted, folder):
    """Returns how heddle's outputs differ from `wanted`, a list of arrays in the order of the model's outputs, or "" if
    they agree. `dims` contains values of the option --dim. `folder` is for temporary files."""
    path, inputs, outputs = (os.path.join(folder, name) for name in ("model.onnx", "in.safetensors", "out.safetensors"))
    onnx.save(model, path)
    save_file({name: np.array(array, order="C") for name, array in feeds.items()}, inputs)
    run = subprocess.run([program, "run", path, "--input", inputs, "--output", outputs] + [f"--dim={dim}" for dim in dims],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode:
        return f"status {run.returncode}: {run.stdout.replace(folder, '')}"
    found = load_file(outputs)
    for port, array in zip(model.graph.output, wanted):
        if reason := difference(found[port.name], array):
            return f"{port.name}: {reason}"
    return ""


def main(program, kind, count, seed="1"):
    # The function `make(rng)` of the module KIND returns a model, the inputs of the model by name, and values of the
    # option --dim.
    generator = importlib.import_module(kind)
    engine = Engine()
    expected = getattr(generator, "expected", None)
    # `compared` counts the compared models, `bad` the models on which heddle differs, `left_out` the models that ONNX
    # Runtime refuses, and `other` the models on which ONNX Runtime differs from `expected`.
    compared, bad, left_out, other = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while compared < int(count) and left_out < MAX_TRIES * int(count):
            rng = random.Random(f"{seed} {compared + left_out}")
            model, feeds, dims = generator.make(rng)
            wanted = engine.run(model, feeds)
            if wanted is None:
                left_out += 1
                continue
            if expected:
                results, wanted = wanted, expected(model, feeds)
                other += any(difference(*pair) for pair in zip(results, wanted))
            reason = compare(program, model, feeds, dims, wanted, folder)
            if reason:
                print(f"{kind} {compared + left_out}: {reason}\n{onnx.printer.to_text(model)}")
                bad += 1
            compared += 1
    print(f"{kind}: {compared - bad} of {compared} agree ({left_out} more models that ONNX Runtime refuses)")
    if other:
        print(f"{kind}: ONNX Runtime is wrong for {other} of these models")
    sys.exit(bad > 0 or compared < int(count))


if __name__ == "__main__":
    main(*sys.argv[1:])
