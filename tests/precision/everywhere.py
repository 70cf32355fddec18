"""everywhere.py HEDDLE FOLDER SEED COUNT [--kind KIND] [--runner RUNNER]: tests models in low precision on
several CPUs.

HEDDLE is the program, FOLDER is for the files of the cases, and SEED is the seed of the first of COUNT cases. Each case
follows from its seed alone: a model (KIND is one of models.KINDS), its precision, its sizes, and some CPUs. One library
contains code for all of these CPUs. If RUNNER, a command that runs code for 64-bit Arm, is given, a second library
contains code for Arm. The code for each CPU that this machine or RUNNER can run is tested:

- `heddle verify` checks the code with its default inputs, with --adversarial, or with the inputs of a random call. It
  checks a decoder with a state by random sequences of calls (--scripts).
- If some rows or sentences of the random call are passed in a separate call whose sizes lie in the same class (the
  subranges that share code), the results for them have the same bits.
- The results of all CPUs are equal up to the last digits of f32: for one layer in all rows, for several layers in most
  rows. In the remaining rows, a number near a rounding boundary was rounded to the next value, so these rows may differ
  by ONE_STEP.
- The option --least-cosine, which keeps layers in higher precision until every row of the results has at least a given
  cosine similarity with the same row in f32, selects the same layers in every command.

Some models are also compiled for a random CPU and interpreted after each stage.
"""
import argparse
import collections
import math
import pathlib
import random
import shutil
import subprocess
import sys

import models
import tensors

LATEST = ["znver4", "cooperlake", "cascadelake", "skylake-avx512", "x86-64-v4"]
WITH_AVX_VNNI = ["sapphirerapids", "alderlake"] # Only a few machines can run code for these CPUs.
OLDER = ["haswell", "x86-64-v3", "x86-64-v2", "x86-64"] # All machines that run the tests can run code for these CPUs.
ARM = ["neoverse-v1", "neoverse-n1", "cortex-a57"]

# The maximum difference of a row in a model of one layer, and of a row in which a number was rounded to the next
# value. Both are relative to the largest number of the result.
LAST_DIGITS = 1e-5
ONE_STEP = 0.03
# The share of rows in which a number may be rounded to the next value.
FEW = 0.2


class Failure(Exception):
    """An error of heddle, or results that differ."""
    pass


class Case:
    def __init__(self, arguments, seed):
        self.heddle, self.random, self.runner = arguments.heddle, random.Random(seed), arguments.runner
        self.folder = arguments.folder / str(seed)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.model = models.draw(self.random, arguments.kind)
        precision = self.random.choice(self.model.precisions)
        rounds = precision is not None and not precision.endswith("-weights")
        self.options = ["--precision", precision] if precision else []
        if rounds and not self.model.isOneLayer and self.random.random() < 0.25:
            self.options += ["--least-cosine", self.random.choice(["0.999", "0.9999", "0.99999"])]
        self.strategy = []
        if self.model.isOneLayer and rounds and self.random.random() < 0.4:
            self.strategy = ["--strategy", self.random.choice(models.STRATEGIES)]
        # Code is generated for each CPU and class of sizes, so larger models are compiled for fewer CPUs.
        older = self.random.sample(OLDER, 2 if self.model.isOneLayer else 1)
        latest = self.random.choice(LATEST + WITH_AVX_VNNI)
        if latest in WITH_AVX_VNNI and len(older) < 2:
            older.append(next(cpu for cpu in OLDER if cpu not in older))
        # Each entry describes a library: its name, its CPUs, options for compiling it, and options for running it.
        self.codes = [("x86-64", [latest, *older], [], [])]
        if self.runner:
            to = ["--target", "aarch64-linux-gnu"]
            self.codes = [("x86-64", older[:1], [], []),
                          ("arm", self.random.sample(ARM, 2), to, ["--runner", self.runner])]
        self.choices = set() # the lists of layers in higher precision that commands with --least-cosine printed
        # The number of compared rows, the number of rows that differ by more than LAST_DIGITS, and the largest
        # difference.
        self.rows, self.different, self.largestDifference = 0, 0, 0.0

    def text(self):
        """Returns the model and its options as one line."""
        return " ".join([*self.model.words, *self.options, *self.strategy])

    def run(self, *words):
        """Runs heddle and returns its output; None if this CPU cannot run the code."""
        words = [self.heddle, *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode == 0:
            lines = done.stderr.splitlines()
            left = [line for line in lines if "left in a higher precision" in line or line.startswith("  ")]
            if "--least-cosine" in words and "--stages" not in words:
                self.choices.add("\n".join(left))
            return done.stdout
        if done.returncode == 1 and "this CPU lacks features" in done.stderr:
            return None
        raise Failure(f"status {done.returncode}: {' '.join(map(repr, words))}\n{done.stdout}{done.stderr}")

    def test(self):
        """Tests the case and returns the CPUs whose code ran. Raises Failure if the test fails."""
        whole, part, *place = self.model.call(self.random)
        tensors.write(self.folder / "whole.in", whole)
        if part:
            tensors.write(self.folder / "part.in", part)
        results = {}
        for name, cpus, compiling, running in self.codes:
            library = self.folder / f"{name}.so"
            self.run("compile", *self.model.words, *self.options, *self.strategy, *compiling, "--mcpu", ",".join(cpus),
                     "-o", library)
            for cpu in cpus:
                code = ["--library", library, "--variant", cpu, *running]
                if self.verify(code):
                    results[cpu] = self.call(code, part, *place)
        if len(results) < 2:
            raise Failure(f"expected results of at least two CPUs of {self.codes}, found {list(results)}")
        self.compare(results)
        if len(self.choices) > 1:
            raise Failure("--least-cosine left different layers in higher precision: " + "\n or ".join(self.choices))
        if self.model.fixed and self.random.random() < 0.2:
            self.run("verify", *self.model.fixed, *self.options, *self.strategy, "--stages", "--mcpu",
                     self.random.choice(LATEST + WITH_AVX_VNNI + OLDER))
        return list(results)

    def verify(self, code):
        """Verifies the code; returns False if this machine cannot run it."""
        how = ["--scripts", "1", "--calls", "4"]
        if self.model.isCalled:
            how = self.random.choice([[], ["--input", self.folder / "whole.in"], ["--adversarial"]])
        return self.run("verify", *self.model.words, *self.options, *code, *how) is not None

    def call(self, code, part, begin, end):
        """Returns the results of a call with the inputs in whole.in. If `part` is true, checks that a call with
        part.in, the entries `begin` to `end` - 1 of these inputs, yields the same bits for these entries."""
        outputs = []
        for name in ["whole", "part"] if part else ["whole"]:
            output = self.folder / f"{name}.out"
            self.run("run", *self.model.atCall, *self.options, *code, "--threads", self.random.randint(1, 3),
                     "--input", self.folder / f"{name}.in", "--output", output)
            outputs.append(tensors.read(output))
        for name, tensor in outputs[0].items():
            if part and tensor.part(begin, end).bytes() != outputs[1][name].bytes():
                raise Failure(f"{name}: entries {begin} to {end - 1} of {tensor.shape} differ from a call with "
                              f"these entries alone: {code}")
        return outputs[0]

    def compare(self, results):
        """Compares the results of the first CPU with those of every other CPU. `results` maps CPUs to outputs."""
        (first, wanted), *others = results.items()
        for cpu, found in others:
            for name, tensor in wanted.items():
                if tensor.dtype == "F32":
                    self.compare_tensors(f"{name}: {first} and {cpu}", tensor, found[name])

    def compare_tensors(self, where, one, other):
        """Raises Failure if more rows differ, or rows differ by more, than the comment at the head of this file allows.
        `where` describes the tensors."""
        largest = max(map(abs, one.numbers), default=0) or 1.0

        def distance(a, b):
            """Returns the largest difference of two rows, relative to `largest`, or infinity if a number is not
            finite."""
            pairs = zip(a, b, strict=True)
            return max(abs(x - y) / largest if math.isfinite(x) and math.isfinite(y) else math.inf for x, y in pairs)

        distances = [distance(a, b) for a, b in zip(one.rows(), other.rows(), strict=True)]
        different = sum(not found <= LAST_DIGITS for found in distances)
        self.rows, self.different = self.rows + len(distances), self.different + different
        self.largestDifference = max(self.largestDifference, *distances)
        most, share = (LAST_DIGITS, 0) if self.model.isOneLayer else (ONE_STEP, FEW)
        if not max(distances) <= most or different > (max(1, share * len(distances)) if share else 0):
            raise Failure(f"{where}: {different} of {len(distances)} rows differ, by at most {max(distances):.2g} of "
                          f"{largest:.2g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle", help="the program heddle")
    parser.add_argument("folder", type=pathlib.Path, help="folder for the files of the cases")
    parser.add_argument("seed", type=int, help="seed of the first case")
    parser.add_argument("count", type=int, help="number of cases")
    parser.add_argument("--kind", choices=models.KINDS, help="kind of the models (default: all kinds)")
    parser.add_argument("--runner", help="command that runs code for 64-bit Arm")
    arguments = parser.parse_args()
    # `kinds` maps kinds of models to the number of cases, the sums of Case.rows and Case.different, and the maximum of
    # Case.largestDifference.
    failed, kinds = 0, collections.defaultdict(lambda: [0, 0, 0, 0.0])
    for number in range(arguments.seed, arguments.seed + arguments.count):
        case = Case(arguments, number)
        try:
            cpus = case.test()
            print(f"seed {number}: {case.text()}: {', '.join(cpus)}: right, {case.different} of {case.rows} rows "
                  f"differ by one rounding step, at most {case.largestDifference:.1e}", flush=True)
            shutil.rmtree(case.folder)
        except Failure as failure:
            failed += 1
            print(f"seed {number}: {case.text()}: {failure}", flush=True)
        kind = kinds["one layer" if case.model.isOneLayer else type(case.model).__name__]
        kind[:] = [kind[0] + 1, kind[1] + case.rows, kind[2] + case.different, max(kind[3], case.largestDifference)]
    for name, (cases, rows, different, most) in kinds.items():
        print(f"{name}: {cases} cases, {different} of {rows} rows differ by one rounding step, at most {most:.1e}")
    print(f"{arguments.count - failed} cases are right, {failed} are not")
    sys.exit(failed != 0 or not arguments.count)


main()
