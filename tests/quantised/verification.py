"""Compares heddle's results for a file with the results of a second implementation of the format, which is written with
numpy (meaning.py, packing.py)."""
import tempfile

import numpy as np

import heddle
from graph import Graph


def distances(found, expected, bound):
    """Returns the absolute difference of each element from the expected one, divided by the bound. Where the expected
    element is not finite, the value is 0 if the found element is the same (NaN, or the same infinity), and infinity
    otherwise."""
    with np.errstate(invalid="ignore"):
        off = np.abs(found.astype(np.float64) - expected) / bound
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    return np.where(np.isfinite(expected), off, np.where(same, 0, np.inf))


def compare(found, expected, bound):
    """Returns a description of the error in the result `found`, or None if there is no error. A missing output, for
    which `found` is None, is an error. `bound` is the accepted difference, for all elements or for each."""
    if found is None:
        return "is not there"
    if found.shape != expected.shape:
        return f"has shape {list(found.shape)} instead of {list(expected.shape)}"
    off = distances(found, expected, bound)
    if np.all(off <= 1): # false if `off` contains a NaN
        return None
    place = tuple(map(int, np.argwhere(~(off <= 1))[0]))
    return f"is {found[place]} instead of {expected[place]} at {list(place)}, bound {np.broadcast_to(bound, off.shape)[place]:.3g}"


def graph_of(cases):
    """Returns a graph with all cases (name, seed, form, rows, K, N, variation)."""
    graph = Graph(0)
    for name, seed, form, rows, k, n, how in cases:
        graph.random = np.random.default_rng(seed)
        form(graph.begin(name), rows, k, n, **how)
    return graph


def verify_graphs(program, cases, opset):
    """Returns (name, error) for each failing case. One file contains all cases; if heddle fails on this file, each case
    is run in a file of its own."""
    graph = graph_of(cases)
    with tempfile.TemporaryDirectory() as folder:
        model = folder + "/model.onnx"
        with open(model, "wb") as file:
            file.write(graph.model(opset).SerializeToString())
        try:
            found = heddle.run(program, model, graph.inputs, folder)
        except (heddle.Refused, heddle.Crash) as error:
            if len(cases) == 1:
                return [(cases[0][0], str(error).replace(folder, ""))]
            alone = [failure for case in cases for failure in verify_graphs(program, [case], opset)]
            return alone or [("all cases in one file", str(error).replace(folder, ""))]
    wrong = {name: compare(found.get(name), *expected) for name, expected in graph.expected.items()}
    return [(name, reason) for name, reason in wrong.items() if reason]


def tokens(random, words, batch=2, length=5):
    """Returns random ids of tokens, from 1 to words - 1."""
    return random.integers(1, words, (batch, length))


def run_directory(program, path, ids, folder, *words):
    """Returns the first output of the model in the Hugging Face directory `path` for `ids`. `words` are further
    arguments of `heddle run`, and `folder` is for temporary files."""
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    found = heddle.run(program, path, inputs, folder, "--dim", f"batch_size={ids.shape[0]}", "--dim",
                       f"sequence_length={ids.shape[1]}", *words)
    return next(iter(found.values()))


def bound_of(expected):
    """Returns the error bound for a model of one or two layers in f32."""
    return 2e-5 * max(1.0, float(np.abs(expected).max()))


def report(found, count):
    """Prints the failed cases `found`, a list of (name, error), and exits: with status 0 if no case failed and `count`,
    the number of cases, is not 0; otherwise with status 1."""
    for name, reason in found:
        print(f"{name}: {reason}")
    print(f"{count - len(found)} of {count} are right")
    raise SystemExit(bool(found) or not count)
