"""The process for one number of threads: prepares, verifies and times rows of the table, and prints a JSON line for
each on stdout. The contestants of a row are Heddle and its peers, the other programs.

compare.py starts it with the environment variables that libraries read when they are loaded.
"""
import argparse
import importlib
import json
import re

import numpy as np

import environment
import library
import load
import progress
import ratios
import report
import roof
import rows
import timing
from peers import heddle

UNRESTRICTED = ["onnx_runtime", "onnx_runtime_int8"]  # peers that cannot be restricted to a CPU's instructions
# The name of a further contestant: Heddle on one thread, in a process in which the other contestants have more threads.
ALONE = "heddle_alone"
COLD = 64 << 20  # bytes of other memory that are read before each call of a row with cold caches
TOLERANCE = 1e-4  # maximum error, relative to the largest expected value


def error(work, outputs):
    """Returns the largest error, relative to the largest expected value."""
    worst = 0.0
    for name, value in outputs.items():
        if name in work.expected:
            expected = work.valid(work.expected[name]).astype(np.float64)
            distance = np.max(np.abs(work.valid(value) - expected)) / np.max(np.abs(expected))
            worst = distance if not distance <= worst else worst  # a NaN is never replaced
    return float(worst)


def worst_cosine(work, outputs):
    """Returns the lowest cosine between a vector of a result, along its last dimension, and the expected vector. This
    is the measure of accuracy for low precisions."""
    worst = 1.0
    for name, value in outputs.items():
        if name in work.expected:
            found, expected = (work.valid(x).astype(np.float64) for x in (value, work.expected[name]))
            cosine = (found * expected).sum(-1) / (np.linalg.norm(found, axis=-1) * np.linalg.norm(expected, axis=-1))
            worst = min(worst, cosine.min()) if not np.isnan(cosine).any() else np.nan
    return float(worst)


def accuracy(work, outputs):
    """Returns a contestant's accuracy (its `error`, or its `cosine` in low precisions), with a `failure` if the
    accuracy is insufficient."""
    if work.least_cosine is None:
        off = error(work, outputs)
        wrong = {} if off <= TOLERANCE else {"failure": f"wrong result: error {off:.2g} of the largest value"}
        return {"error": off} | wrong
    cosine = worst_cosine(work, outputs)
    wrong = {} if cosine >= work.least_cosine else {"failure": f"wrong result: cosine {cosine:.2g} of a row"}
    return {"cosine": cosine} | wrong


def prepare(row, threads, arguments, state):
    """Returns the contestants that can run the row on this machine, and a record for each contestant: its accuracy, or
    why it failed. state: the Progress, which lists contestants that crashed a process."""
    row.work.prepare()
    row.work.load()
    contestants, record = {}, {}
    ours = ["heddle"] if threads == 1 else ["heddle", ALONE]
    for peer in ours + row.peers:
        if not state.trying(row.title, peer):
            record[peer] = {"failure": "the process crashed"}
            continue
        try:
            module, *setting = peer.split(":")  # for example openvino_int8:128
            if peer == ALONE or module == "heddle":
                own = 1 if peer == ALONE else threads
                contestant = heddle.prepare(row.work, own, arguments.heddle, arguments.runtime, *setting)
            else:
                contestant = importlib.import_module("peers." + module).prepare(row.work, threads, *setting)
            contestant.call()
            record[peer] = accuracy(row.work, contestant.outputs()) | contestant.facts
            if "failure" not in record[peer]:
                contestants[peer] = contestant
        except Exception as failure:  # a peer's failure to run a model is recorded
            record[peer] = {"failure": f"{type(failure).__name__}: {str(failure)[:300]}"}
    return contestants, record


def beyond_caches(size):
    """Returns the size if it exceeds all caches of the first CPU, else 0, because smaller data may be in a cache."""
    return int(size) if size > max(environment.caches().values(), default=0) else 0


def measure_roofs(arguments):
    """Returns the measured speeds of arithmetic and memory; see roof.measure."""
    wide = arguments.mcpu != "x86-64-v3" and "avx512f" in environment.cpu_field("flags").split()
    pool = library.executor(arguments.runtime, arguments.threads)
    return roof.measure(arguments.runtime, arguments.threads, pool, wide)


def parse():
    parser = argparse.ArgumentParser()
    for option in ("--cache", "--model", "--heddle", "--runtime", "--progress"):
        parser.add_argument(option, required=True)
    parser.add_argument("--rows", action="append", default=[])
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--duration", type=float, default=3)
    parser.add_argument("--peers", default="")
    parser.add_argument("--mcpu")
    return parser.parse_args()


def selected(arguments, state):
    """Yields the selected rows that are not finished according to `state` (a Progress), with their peers."""
    for row in rows.select(arguments.rows, arguments.cache, arguments.model):
        if row.title not in state.finished:
            row.peers = [peer for peer in row.peers if re.search(arguments.peers, peer)]
            if arguments.mcpu:
                row.work.mcpu = arguments.mcpu
                row.peers = [peer for peer in row.peers if peer not in UNRESTRICTED]
            yield row


def compare(row, contestants, record, roofs, arguments, state):
    """Times one row and returns its record. state: the Progress, which records the contestant that is timed."""
    loops = {name: c.loop or timing.loop_of(c.call) for name, c in contestants.items()}
    touch = library.Touch(arguments.runtime, COLD) if row.cold else None

    def measure():
        rounds = timing.measure(loops, arguments.duration, touch, lambda name: state.trying(row.title, name))
        results = {name: timing.summary(rounds[name]) for name in rounds}
        for name in results:
            if name != "heddle" and "heddle" in rounds:
                results[name]["ratio"] = ratios.compare(rounds[name], rounds["heddle"])
        return results

    results, foreign = load.undisturbed(measure, lambda results: report.doubts({"results": results, "foreign": 0}))
    for name in results:
        record[name] |= results[name]
    return {"row": row.title, "threads": arguments.threads, "target": row.target(arguments.threads),
            "peers": row.peers, "microseconds": row.microseconds, "foreign": foreign, "flops": int(row.work.flops()),
            "roof": row.work.roof, "memory": row.work.memory,
            "moved": beyond_caches(row.work.moved()), "roofs": roofs, "results": record}


def main():
    arguments = parse()
    environment.pin(arguments.threads)
    state, roofs = progress.Progress(arguments.progress), measure_roofs(arguments)
    for row in selected(arguments, state):
        contestants, record = prepare(row, arguments.threads, arguments, state)
        print(json.dumps(compare(row, contestants, record, roofs, arguments, state)), flush=True)
        state.finish(row.title)


if __name__ == "__main__":
    main()
