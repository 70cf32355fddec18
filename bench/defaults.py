#!/usr/bin/env python3
"""Checks whether the default strategies are the best that `heddle bench --tune` finds, on every row of compare.py's
table except for rows with cold caches and decoder steps.

  bench/defaults.py                                 every row on one and on two threads
  bench/defaults.py --rows 'attention|softmax' --threads 1
  bench/defaults.py --rows 'MiniLM b1-s16' --ops attention
  bench/defaults.py --mcpu x86-64-v3                AVX2 code

A candidate is a strategy with values of its knobs. The script prints the speedup of the best candidate over the
default: the median, over all rounds of measurement, of the ratio of the default's time to the candidate's time in the
same round. A ? marks an unreliable speedup (see ratios.py).
The exit status is 1 if a speedup is above 1.05, and 2 if there was nothing to measure or `heddle bench` failed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

import environment
import ratios

# The highest accepted speedup of another strategy over the default.
LIMIT = 1.05
# The minimum share of a model's time for an operation to be tuned. Even if an operation with a smaller share took no
# time, the model would not become faster by the factor LIMIT.
SHARE = 1 - 1 / LIMIT
# Up to MAX_SUSPECTS candidates whose speedup is above SUSPECT are measured again: among many equally fast candidates,
# one is always ahead by chance.
SUSPECT = 1.02
MAX_SUSPECTS = 3
# The ratio of a candidate that is exactly as fast as the default.
EVEN = {"median": 1.0, "lower": 1.0, "upper": 1.0, "minima": 1.0}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    environment.add_options(parser)
    parser.add_argument("--ops", default="", metavar="REGEX", help="tune only operations whose name matches")
    parser.add_argument("--duration", type=float, default=1,
                        help="seconds of measurement for each candidate that may be faster than the default; all "
                        "candidates are first measured for a tenth of this time")
    return environment.parse(parser)


def fastest_first(leads):
    """Sorts pairs of a ratio (a dictionary with the key "median", among others) and a candidate, highest ratio first."""
    return sorted(leads, key=lambda lead: lead[0]["median"], reverse=True)


class Times:
    """The output of one `heddle bench`: the name of the default strategy (`default`) and, for each candidate (an
    argument of --strategy), the ratio of the default's time to the candidate's (`ratios`). `wrong` lists the candidates
    whose results are wrong. With --profile, `shares` has each operation's share of the model's time."""

    def __init__(self, text, model):
        self.default, self.ratios, self.shares, self.wrong = None, {}, {}, []
        for run in json.loads(text)["benchmarks"]:
            name = run["run_name"].removeprefix(model + "/")
            if name.startswith("profile/"):
                op = name.split()[-1]
                self.shares[op] = self.shares.get(op, 0) + run["real_time"]
            elif run.get("error_occurred"):
                self.wrong.append(run["label"])
            elif run["label"] == "default":
                self.default = name
            elif run["run_type"] == "iteration" and "ratio_to_default" in run:
                self.ratios[run["label"]] = {"median": run["ratio_to_default"], "lower": run["ratio_lower_quartile"],
                                             "upper": run["ratio_upper_quartile"], "minima": run["ratio_of_minima"]}
        total = sum(self.shares.values())
        self.shares = {op: time / total for op, time in self.shares.items()}

    def leads(self):
        """Returns the candidates that are faster than the default, fastest first: (ratio, choice)."""
        return fastest_first((ratio, choice) for choice, ratio in self.ratios.items() if ratio["median"] > 1)


class Bench:
    """Runs `heddle bench` for one row and one number of threads."""

    def __init__(self, work, threads, arguments):
        model, *options = work.heddle_arguments()
        self.several = bool(work.onnx)  # a model of several operations, not a single one
        self.kind = None if self.several else work.kind
        if self.several:  # the amount of work depends on the masks and tokens
            options += ["--input", work.folder / "inputs.safetensors"]
        if arguments.mcpu:
            options += ["--mcpu", arguments.mcpu]
        self.model, self.threads = model, threads
        self.command = [arguments.build / "bin" / "heddle", "bench", model, *options, "--json", "-t", str(threads)]

    def run(self, duration, *options):
        """Runs the benchmark with further options and returns its Times. `duration`: seconds for each candidate."""
        timing = ["--warmup", "20ms", "--duration", f"{int(duration * 1000)}ms", "--repetitions", "5"]
        run = subprocess.run([*self.command, *timing, *options], stdout=subprocess.PIPE, text=True,
                             preexec_fn=lambda: environment.pin(self.threads))
        times = Times(run.stdout, self.model) if run.stdout.startswith("{") else None
        if not times or not times.default:
            fail(f"{' '.join(map(str, run.args))} ended with status {run.returncode}")
        for choice in times.wrong:
            print(f"defaults.py: wrong result: {self.model}: {choice}", file=sys.stderr)
        return times


def fail(reason):
    """Ends the program with a message and the exit status 2."""
    print("defaults.py:", reason, file=sys.stderr)
    sys.exit(2)


def find_suspects(bench, arguments):
    """Tunes each operation separately. Returns the default's name and at most MAX_SUSPECTS candidates whose speedup
    over the default was above SUSPECT; None if no operation is to be tuned."""
    tunings, leads, default = ["--tune"] if re.search(arguments.ops, bench.kind or "") else [], [], "default"
    if bench.several:
        shares = bench.run(arguments.duration / 20, "--profile").shares
        tunings = ["--tune=" + op for op, share in shares.items() if share >= SHARE and re.search(arguments.ops, op)]
    if not tunings:
        return None
    for tuning in tunings:
        times = bench.run(arguments.duration / 10, tuning)
        leads, default = leads + times.leads(), times.default
    return default, [choice for ratio, choice in fastest_first(leads) if ratio["median"] > SUSPECT][:MAX_SUSPECTS]


def measure(bench, choices, duration):
    """Returns the Times of the default and of the candidates `choices`."""
    return bench.run(duration, *[word for choice in choices for word in ("--strategy", choice)])


def find_best(bench, arguments):
    """Returns the default's name, the best candidate (empty: the default) and the ratio of the default's time to the
    candidate's; None if no operation is to be tuned."""
    found = find_suspects(bench, arguments)
    if not found:
        return None
    default, suspects = found
    leads = measure(bench, suspects, arguments.duration).leads() if suspects else []
    if not leads:
        return default, "", EVEN
    ratio, best = leads[0]
    if ratio["median"] > LIMIT:
        again = measure(bench, [best], 2 * arguments.duration).ratios.get(best, EVEN)
        ratio = min(ratio, again, key=lambda ratio: ratio["median"])
    return default, best, ratio


def ratio_text(ratio):
    """Returns a speedup over the default as text. It is at least 1, because the default itself is a candidate."""
    return f"{max(1, ratio['median']):.2f}" + ("?" if ratios.doubts(ratio) else "")


def main():
    arguments = parse()
    venv = arguments.venv or arguments.build / "bench" / "venv"
    if pathlib.Path(sys.prefix) != venv.resolve():  # the rows' inputs and models are made with torch
        python = environment.venv_python(arguments)
        os.execv(python, [python, *sys.argv])
    environment.build(arguments, "heddle")
    import rows

    model = environment.minilm(arguments)
    table, worst = ["| row | threads | default | best | ratio |", "|---|---:|---|---|---:|"], 1.0
    for row in rows.select(arguments.rows, arguments.build / "bench" / "cache", str(model)):
        # A row with cold caches would be measured like the same row with warm caches, because `heddle bench` runs
        # without --cold here. Decoder steps with a filled state cannot be measured by `heddle bench`.
        if row.cold or row.work.keeps_state:
            continue
        row.work.prepare()
        for threads in map(int, arguments.threads.split(",")):
            found = find_best(Bench(row.work, threads, arguments), arguments)
            if not found:
                continue
            default, best, ratio = found
            doubts = "".join(f"; {doubt}" for doubt in ratios.doubts(ratio))
            print(f"{threads} thread(s): {row.title}: {ratio_text(ratio)} {best}{doubts}", file=sys.stderr)
            mark = "**" if ratio["median"] > LIMIT else ""
            cell = mark + ratio_text(ratio) + mark
            table.append(f"| {row.title} | {threads} | {default} | {best or 'the default'} | {cell} |")
            worst = max(worst, ratio["median"])
    if len(table) == 2:
        fail("no selected row has an operation to tune")
    print("\n".join(table))
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main())
