"""check_cases.py HEDDLE CASES: checks that `heddle compile` lowers the model of each line of CASES, except MINILM, for
CUDA (to stage tile) without a message, with the strategy of the line if there is one.

It also checks that names are unique, that CHECK and PROFILE have valid values, and that the model of a line with a
strategy appears on an earlier line. Each kind of layer that is computed by tiles on CUDA must have a line with CHECK
`whole` in each type. The head of cases.txt describes the fields of a line.
"""
import itertools
import re
import subprocess
import sys

LAYERS = ["linear", "ffn", "softmax", "layer_norm", "rms_norm"]
# Attention has tiles of f32, and of bf16 if the model rounds its operands.
TILED = set(itertools.product(LAYERS, ["f32", "bf16", "f16"])) | {("linear", "rounding=bf16"), ("attention", "f32"),
                                                                  ("attention", "rounding=bf16")}


def kind_of(model):
    """Returns the name of a quoted operation, and how it rounds its rows ("rounding=bf16") or else its type."""
    type = re.search(r"type=(\w+)", model)
    rounding = re.search(r"rounding=\w+", model)
    return model.split()[0], rounding[0] if rounding else type[1] if type else "f32"


def main(heddle, cases):
    wrong, models, names, tiled = [], set(), set(), set()
    with open(cases, encoding="utf-8") as file:
        lines = [[word.strip() for word in line.split("|")] for line in file if not line.startswith("#")]
    for name, model, how, strategy, *profiled in lines:
        if name in names:
            wrong.append(f"{name}: an earlier line has this name")
        if how not in ("whole", "sampled", "timed"):
            wrong.append(f"{name}: CHECK is '{how}', expected whole, sampled or timed")
        if profiled not in ([], ["ncu"], ["count"]):
            wrong.append(f"{name}: PROFILE is '{' | '.join(profiled)}', expected ncu, count or nothing")
        names.add(name)
        if strategy and model not in models:
            wrong.append(f"{name}: no earlier line contains the model '{model}'")
        models.add(model)
        if model == "MINILM":
            continue
        command = [heddle, "compile", model, "--device", "cuda", "--emit", "tile", "-o", "-"]
        run = subprocess.run(command + (["--strategy", strategy] if strategy else []), capture_output=True, text=True)
        if run.returncode or run.stderr:
            wrong.append(f"{name}: {run.stderr.strip()}")
        if how == "whole" and "#heddle.fragments<" in run.stdout:
            tiled.add(kind_of(model))
    wrong += [f"no line checks {operation} by tiles in {type}" for operation, type in sorted(TILED - tiled)]
    print(*wrong, f"{len(lines)} cases, {len(wrong)} mistakes", sep="\n")
    return int(bool(wrong) or not lines)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
