#!/usr/bin/env python3
"""Compares Heddle with its peers (other programs) on the same inputs, in one run; prints a table of medians and ratios.

  bench/compare.py                                  every row on one and on two threads
  bench/compare.py --rows 'attention|softmax' --threads 1 --duration 5
  bench/compare.py --rows 'attention hq=12 hkv=4 s=200 d=64 causal=lower_right' --rows 'minilm b=4 s=64'
  bench/compare.py --random 20 --seed 3             20 random operations instead of the rows of the table
  bench/compare.py --mcpu x86-64-v3                 AVX2 code; peers are restricted to AVX2, too
  bench/compare.py --save                           also writes bench/results/, the table in bench/README.md and its
                                                    ten chosen rows in README.md
  bench/compare.py --readme --save                  only these ten rows

The first run installs the peers into a virtual environment below the build folder (some GB) and
downloads MiniLM from PyPI. Run it on an otherwise idle machine.
"""
import argparse
import json
import subprocess
import sys

import environment
import progress
import report
import save

BENCH = environment.BENCH


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    environment.add_options(parser)
    parser.add_argument("--peers", default="", metavar="REGEX",
                        help="measure only peers whose module in peers/ matches")
    parser.add_argument("--duration", type=float, default=3,
                        help="seconds of measurement for each program in a row of the table")
    parser.add_argument("--save", nargs="?", const="", metavar="NAME",
                        help="write the results to bench/results/DATE[-MCPU][-readme][-NAME]; without --mcpu and NAME, "
                        "a run of all rows also writes the table of all rows to bench/README.md, and this run or one "
                        "with --readme writes the rows of README.md to README.md if none of them is doubtful")
    parser.add_argument("--readme", action="store_true", help="measure only the rows of README.md")
    arguments = environment.parse(parser)
    if arguments.readme and arguments.rows:
        parser.error("--readme selects its own rows and cannot be combined with --rows or --random")
    if arguments.readme:
        arguments.rows = save.chosen_patterns()
    return arguments


def run_worker(python, model, threads, arguments):
    """Returns a record for each row, measured with `threads` threads (worker.py prints the records). The records come
    from one process, or from several processes if a peer crashes its process."""
    build, records, crashed = arguments.build, [], None
    path = build / "bench" / f"progress-{threads}.json"
    path.unlink(missing_ok=True)
    command = [python, BENCH / "worker.py", "--cache", build / "bench" / "cache", "--model", model,
               "--heddle", build / "bin" / "heddle", "--runtime", build / "bench" / "libheddle_bench.so",
               "--peers", arguments.peers, "--threads", str(threads),
               "--progress", path, "--duration", str(arguments.duration)]
    command += ["--mcpu", arguments.mcpu] if arguments.mcpu else []
    command += [f"--rows={wanted}" for wanted in arguments.rows]
    while True:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              env=environment.process_environment(threads, arguments.mcpu)) as worker:
            for line in worker.stdout:
                if line.startswith("{"):
                    records.append(json.loads(line))
                    print(f"{threads} thread(s): {report.row_progress(records[-1])}", file=sys.stderr)
            status = worker.wait()
        if not status:
            return records
        # A negative status means that a signal ended the process. If a row was not finished then, the next process
        # measures this row without the contestant that the progress file names (see progress.py). If the file still
        # names the contestant at which the previous process ended, this process ended before it read the file. A
        # further process would end in the same way, so the program stops.
        before, crashed = crashed, progress.interrupted(path)
        if status > 0 or crashed in (None, before):
            sys.exit(f"compare.py: the process with {threads} thread(s) ended with status {status}")


def main():
    arguments = parse()
    environment.build(arguments, "heddle", "heddle_bench")
    python, model = environment.venv_python(arguments), environment.minilm(arguments)
    records = []
    for threads in map(int, arguments.threads.split(",")):
        records += run_worker(python, model, threads, arguments)
    result = {"machine": environment.machine(), "versions": environment.versions(python),
              "heddle": environment.commit(), "mcpu": arguments.mcpu, "duration": arguments.duration,
              "rows": arguments.rows, "records": records}
    if not records:
        print("compare.py: no row has a title that matches --rows", file=sys.stderr)
        sys.exit(2)
    print(save.text(result))
    if arguments.save is not None:
        reasons = save.save(result, arguments.save)
        if reasons:
            sys.exit("\n".join(["compare.py: the rows of README.md are not replaced:"] + reasons))


if __name__ == "__main__":
    main()
