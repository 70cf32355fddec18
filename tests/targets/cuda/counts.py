"""Checks that the counts that `heddle bench --profile` prints for the launches of a model are consistent.

usage: counts.py HEDDLE MODEL [ARGUMENTS...]

The PTX interpreter counts instructions, barriers, and two measures of memory accesses: wavefronts, which are the passes
in which a warp's access to shared memory is served, and sectors of global memory. The script exits with status 77
(skipped) if the model does not exist.
"""
import os
import subprocess
import sys

BYTES_A_LANE = 16  # the maximum number of bytes that a lane accesses at once
SECTOR = 32  # bytes
LANES = 32  # the number of lanes of a warp


def check(table):
    """Yields a message for each mistake in the rows of a table. A row has a candidate, a kernel, an operation and seven
    numbers: launches, instructions, barriers, wavefronts, wavefronts for each request, sectors, sectors for each
    request. The row `sum` of a candidate must be the sum of its other rows."""
    sums = {}
    for candidate, kernel, operation, *cells in table:
        launches, instructions, barriers, wavefronts, sectors = (int(cells[i]) for i in (0, 1, 2, 3, 5))
        ways, width = (0 if cell == "-" else float(cell) for cell in (cells[4], cells[6]))
        numbers = [launches, instructions, barriers, wavefronts, sectors]
        if kernel == "sum":
            if numbers != sums[candidate]:
                yield f"{candidate}: the row `sum` contains {numbers}, but the other rows add up to {sums[candidate]}"
            continue
        sums[candidate] = [a + b for a, b in zip(sums.get(candidate, [0] * 5), numbers)]
        if not launches or instructions <= barriers + wavefronts / LANES:
            yield f"{kernel}: inconsistent: {launches} launches, {instructions} instructions, {wavefronts} wavefronts"
        if not operation or operation == "-":
            yield f"{kernel}: has no operation"
        if ways and not 1 <= ways <= LANES or width and not 1 <= width <= LANES * BYTES_A_LANE / SECTOR * 2:
            yield f"{kernel}: {ways} wavefronts and {width} sectors for each request, outside the possible range"
    if not sums:
        yield "the output contains no counts of launches"


def main(heddle, model, *arguments):
    if "/" in model and not os.path.exists(model):
        print(f"skipped: no {model}")
        return 77
    run = subprocess.run([heddle, "bench", model, *arguments, "--profile", "--markdown", "--device", "cuda-interpreted"],
                         capture_output=True, text=True)
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in run.stdout.splitlines() if line[:1] == "|"]
    mistakes = list(check(rows[2:])) + ([run.stderr] if run.returncode else [])
    print(run.stdout, *mistakes, sep="\n")
    return int(bool(mistakes))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
