"""Checks that linear and feed-forward layers on CUDA are cut into enough blocks, each of which is a workgroup.

usage: workgroups.py HEDDLE FILES...

Each line of FILES may contain a quoted operation, such as `linear m=1..300 n=96 k=64`, or its name and its knobs as two
strings in C++. A product must have at least as many workgroups as there would be blocks of 64 x 64, or as many as fill
a large device with 128 multiprocessors: one workgroup for each of them if matrix instructions multiply, or else two,
which fit on one multiprocessor. If the number of rows lies in a range, this holds for each of these numbers, but for
matrix instructions only for the highest. If a contraction is divided into parts, each part of a block is a workgroup.
The script prints a table of the products.
"""
import math
import re
import subprocess
import sys

EDGE = 64  # the number of rows and of columns of the blocks with whose number the workgroups are compared
MULTIPROCESSORS = 128
FULL = {"mma": MULTIPROCESSORS, "fma": 2 * MULTIPROCESSORS}  # the number of workgroups that fill a device, by kind
UNSUPPORTED = "not supported on this device"  # in the errors of `heddle compile`
QUOTED = re.compile(r"\b(linear|ffn)(?: |\", \")([^\"|]*)")
LOOP = re.compile(r"scf\.forall \([^)]*\) in \(([^)]*)\)")
SUMS = re.compile(r"#heddle\.fragments<#heddle\.(fma|mma)<\w+>, [^>]*>\} : tensor<(\d+)x(\d+)x")


def products(operation):
    """Returns the lowest and highest number of rows of a layer, and the number of columns of each of its products."""
    name, *knobs = operation.split()
    values = dict(knob.split("=") for knob in knobs)
    low, _, high = (values.get("m") or values["rows"]).partition("..")
    hidden = values.get("h", values.get("hidden"))
    columns = [values["n"]] if name == "linear" else [hidden] * (1 + int(values.get("gated", 0))) + [values["k"]]
    return int(low), int(high or low), list(map(int, columns))


def blocks(code):
    """Returns the kind, the rows and the columns of the blocks of each product in the tiles of a layer, and the number
    of parts of its contraction."""
    _, *loops = re.split(r"(?=scf\.forall )", code)
    found = []
    for loop in loops:
        if "linalg.matmul" in loop and (sums := SUMS.search(loop)):
            kind, rows, columns = sums.groups()
            counts = LOOP.match(loop)[1].split(", ")
            found.append((kind, int(rows), int(columns), int(counts[2]) if len(counts) > 2 else 1))
    return found


def check(heddle, operation):
    """Prints a line for each product of a layer that is computed by tiles, and returns the number of these products and
    of those with too few workgroups. A layer that CUDA does not support has no products."""
    command = [heddle, "compile", operation, "--device", "cuda", "--emit", "tile", "-o", "-"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode and UNSUPPORTED not in run.stderr:
        sys.exit(f"{operation}: {run.stderr.strip()}")
    found = blocks(run.stdout)
    low, high, columns = products(operation)
    wrong = 0
    if found and len(found) != len(columns):
        sys.exit(f"{operation}: expected {len(columns)} products, found {len(found)}")
    for (kind, height, width, parts), n in zip(found, columns):
        def count(rows, height, width):
            return math.ceil(rows / height) * math.ceil(n / width)
        few = [m for m in range(low if kind == "fma" else high, high + 1)
               if parts * count(m, height, width) < min(FULL[kind], count(m, EDGE, EDGE))]
        print(f"{operation}: {n} columns by {kind} in blocks of {height} x {width} and {parts} parts: "
              f"{parts * count(high, height, width)} workgroups, {count(high, EDGE, EDGE)} blocks of {EDGE} x {EDGE}"
              + (f"; too few for {few[0]} rows" if few else ""))
        wrong += bool(few)
    return len(found), wrong


def main(heddle, *files):
    operations = []
    for path in files:
        with open(path, encoding="utf-8") as file:
            operations += [f"{found[1]} {found[2].strip()}" for line in file
                           if not line.startswith("#") and (found := QUOTED.search(line))]
    counts = [check(heddle, operation) for operation in dict.fromkeys(operations)]
    count, wrong = map(sum, zip(*counts))
    print(f"{count} products, {wrong} with too few workgroups")
    return int(bool(wrong) or not count)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
