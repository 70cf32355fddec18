"""The process for one number of threads: loads encoders, compares them with torch, searches for batch sizes and
measures times. It prints one JSON line on stdout. encode.py starts it with the environment variables that libraries
read when they are loaded."""
import argparse
import importlib
import json
import pathlib
import sys
import time

import numpy as np

import environment
import load
import ratios
import sentences
import timing

FAMILIES = ["heddle_encoder", "sentence_transformers_encoder", "onnx_runtime_encoder"]  # modules in encoders/
REFERENCE = "sentence_transformers_torch"  # the encoder whose embeddings are the expected ones
BATCHES = [8, 16, 32, 64]
SEARCHED = 400     # minimum number of sentences in the search for the best batch size; all, if there are fewer
TOLERANCE = 1e-5   # maximum difference of an element from the reference; embeddings have length 1


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--exports", type=pathlib.Path, required=True)
    for option in ("--threads", "--count", "--seed", "--rounds"):
        parser.add_argument(option, type=int, required=True)
    return parser.parse_args()


def prepare(arguments):
    """Returns the encoders by name. An exception in a family's module ends the process, because a table without the
    family would be incomplete."""
    encoders = {}
    for family in FAMILIES:
        encoders |= importlib.import_module("encoders." + family).prepare(arguments.model, arguments.exports,
                                                                          arguments.threads)
    return encoders


def timed(encoder, texts, batch):
    """Returns the seconds for all texts. If the encoder limits the number of texts to measure (`max_sentences`), the
    time is extrapolated."""
    some = texts[:encoder.max_sentences] if encoder.max_sentences else texts
    start = time.perf_counter()
    encoder.encode(some, batch)
    return (time.perf_counter() - start) * len(texts) / len(some)


def check(encoders, texts):
    """Returns each encoder's largest difference of an element from torch's result. Exits if a result has another shape,
    or if a difference exceeds the tolerance."""
    expected, errors = encoders[REFERENCE].encode(texts, 32), {}
    for name, encoder in encoders.items():
        some = texts[:encoder.max_sentences] if encoder.max_sentences else texts
        found = np.asarray(encoder.encode(some, 32))
        errors[name] = float(np.abs(found - expected[:len(some)]).max()) if found.shape == expected[:len(some)].shape else None
        if errors[name] is None or not errors[name] <= TOLERANCE:
            sys.exit(f"encode_worker.py: wrong result of {name}: error {errors[name]}, expected at most {TOLERANCE}")
    return errors


def best_batches(encoders, texts):
    """Returns the fastest batch size of each encoder for which a batch size is searched. Each batch size is measured
    twice, in turn with the other batch sizes, and the shorter of the two times counts."""
    some, best = texts[::max(1, len(texts) // SEARCHED)], {}
    for name, encoder in encoders.items():
        if encoder.searched:
            seconds = {batch: [] for batch in BATCHES}
            for _ in range(2):
                for batch in BATCHES:
                    seconds[batch].append(timed(encoder, some, batch))
            best[name] = min(BATCHES, key=lambda batch: min(seconds[batch]))
            print(f"{name}: best batch {best[name]}", file=sys.stderr)
    return best


def measure(encoders, texts, settings, count):
    """Returns a list of `count` rounds for each setting, which is a pair of an encoder's name and a batch size. A round
    is a list with one element, the seconds for all texts. Every second round has the reverse order."""
    rounds, order = {setting: [] for setting in settings}, list(settings)
    for number in range(count):
        for name, batch in order:
            timing.settle()
            rounds[name, batch].append([timed(encoders[name], texts, batch)])
        order.reverse()
        print(f"round {number + 1} of {count}", file=sys.stderr)
    return rounds


def result(rounds, batches):
    """Returns, for each encoder's name, the batch size, a summary of the times, and the ratio of its time to Heddle's,
    computed within rounds. `batches` maps names to batch sizes."""
    ours = rounds["heddle", batches["heddle"]]
    return {name: {"batch": batch, **timing.summary(rounds[name, batch]),
                   **({"ratio": ratios.compare(rounds[name, batch], ours)} if name != "heddle" else {})}
            for name, batch in batches.items()}


def main():
    arguments = parse()
    environment.pin(arguments.threads)
    texts = sentences.make(arguments.count, arguments.seed)
    encoders = prepare(arguments)
    errors = check(encoders, texts)
    best = best_batches(encoders, texts)
    defaults = {name: encoder.default for name, encoder in encoders.items() if encoder.default}
    settings = list(dict.fromkeys([*best.items(), *defaults.items()]))
    rounds, foreign = load.undisturbed(lambda: measure(encoders, texts, settings, arguments.rounds), attempts=1)
    print(json.dumps({"threads": arguments.threads, "sentences": len(texts), "foreign": foreign, "errors": errors,
                      "best": result(rounds, best), "defaults": result(rounds, defaults)}), flush=True)


if __name__ == "__main__":
    main()
