#!/usr/bin/env python3
"""Heddle and its peers side by side on the same inputs, in one run; prints a table of medians and ratios.

  bench/compare.py                                  every row on one and on two threads
  bench/compare.py --rows 'attention|softmax' --threads 1 --duration 5
  bench/compare.py --mcpu x86-64-v3                 AVX2 code, peers told to keep to AVX2
  bench/compare.py --save                           results and table also to bench/results/

The first run installs the peers into a virtual environment below the build folder (some GB) and
fetches MiniLM from PyPI. Run it on a machine that does nothing else.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys

import environment
import report

BENCH = environment.BENCH


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows whose title matches")
    parser.add_argument("--threads", default="1,2", help="numbers of threads; each is a process of its own")
    parser.add_argument("--duration", type=float, default=3, help="seconds for each contestant in a row")
    parser.add_argument("--mcpu", help="the CPU to compile for; x86-64-v3 keeps peers to AVX2 as well")
    parser.add_argument("--build", type=pathlib.Path, default=BENCH.parent / "build", help="Heddle's build folder")
    parser.add_argument("--venv", type=pathlib.Path, help="the peers' virtual environment")
    parser.add_argument("--model", type=pathlib.Path, help="the MiniLM folder")
    parser.add_argument("--save", action="store_true", help="write to bench/results/")
    return parser.parse_args()


def run_worker(python, model, threads, arguments):
    """The records of one process."""
    build, records = arguments.build, []
    command = [python, BENCH / "worker.py", "--cache", build / "bench" / "cache", "--model", model,
               "--heddle", build / "bin" / "heddle", "--runtime", build / "bench" / "libheddle_bench.so",
               "--rows", arguments.rows, "--threads", str(threads), "--duration", str(arguments.duration)]
    command += ["--mcpu", arguments.mcpu] if arguments.mcpu else []
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              env=environment.process_environment(threads, arguments.mcpu))
    for line in worker.stdout:
        if line.startswith("{"):
            records.append(json.loads(line))
            value = report.ratio(records[-1])
            print(f"{threads} thread(s): {records[-1]['row']}: " + (f"{value:.2f}" if value else "-"), file=sys.stderr)
    if worker.wait():
        sys.exit(f"compare.py: the process with {threads} thread(s) ended with status {worker.returncode}")
    return records


def describe(machine, versions, arguments):
    caches = ", ".join(f"{level} {size}" for level, size in machine["caches"].items())
    return (f"{machine['cpu']} (family {machine['family']} model {machine['model']}, {' '.join(machine['features'])}; "
            f"{caches}), {machine['cpus']} CPUs, {machine['system']}. "
            + ", ".join(f"{name} {version}" for name, version in versions.items())
            + f". Heddle {environment.commit()}" + (f", compiled for {arguments.mcpu}" if arguments.mcpu else "") + ".\n")


def main():
    arguments = parse()
    subprocess.run(["cmake", "--build", arguments.build, "--target", "heddle", "heddle_bench"], check=True,
                   stdout=subprocess.DEVNULL)
    python = arguments.venv / "bin" / "python" if arguments.venv else environment.make_venv(
        arguments.build / "bench" / "venv")
    model = arguments.model or environment.fetch_minilm(arguments.build / "minilm")
    records = []
    for threads in map(int, arguments.threads.split(",")):
        records += run_worker(python, model, threads, arguments)
    machine, versions = environment.machine(), environment.versions(python)
    text = describe(machine, versions, arguments) + "\n" + report.tables(records) + report.remarks(records)
    text += report.compile_cost(records)
    print(text)
    if arguments.save:
        results = BENCH / "results"
        results.mkdir(exist_ok=True)
        stem = results / (datetime.date.today().isoformat() + (f"-{arguments.mcpu}" if arguments.mcpu else ""))
        stem.with_suffix(".md").write_text(text)
        stem.with_suffix(".json").write_text(json.dumps({
            "machine": machine, "versions": versions, "heddle": environment.commit(), "mcpu": arguments.mcpu,
            "duration": arguments.duration, "records": records}, indent=1) + "\n")


if __name__ == "__main__":
    main()
