"""check_cases.py HEDDLE CASES: checks that `heddle compile` accepts the model of each line of CASES for CUDA, with the
strategy of the line if there is one.

It also checks that names are unique, that CHECK and PROFILE have valid values, and that the model of a line with a
strategy appears on an earlier line. The head of cases.txt describes the fields of a line.
"""
import subprocess
import sys


def main(heddle, cases):
    wrong, models, names = [], set(), set()
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
        command = [heddle, "compile", model, "--device", "cuda", "--emit", "tile", "-o", "/dev/null"]
        run = subprocess.run(command + (["--strategy", strategy] if strategy else []), capture_output=True, text=True)
        if run.returncode or run.stderr:
            wrong.append(f"{name}: {run.stderr.strip()}")
    print(*wrong, f"{len(lines)} cases, {len(wrong)} mistakes", sep="\n")
    return int(bool(wrong) or not lines)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
