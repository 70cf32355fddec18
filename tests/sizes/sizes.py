#!/usr/bin/python3
"""sizes.py: checks models that compute with the sizes of their inputs. Each model is called at every size in its
ranges, and the results are compared with those of numpy.

    sizes.py --heddle build/bin/heddle --named              # the cases of named.py
    sizes.py --heddle build/bin/heddle --seed 1 --cases 200 # 200 random cases, which use the kinds in --ways in turn
    sizes.py --heddle build/bin/heddle roll-script extent-17 # single cases

known.txt lists the cases that fail at present. The exit status is 1 if another case is wrong or crashes, or if a listed
case is right or rejected.
"""
import argparse
import collections
import itertools
import os
import pathlib
import shutil
import sys
import tempfile
from subprocess import PIPE, run

try:
    import onnx_file
except ImportError as error:
    print(f"sizes.py: {error}; `.ci/setup tests` installs the package for /usr/bin/python3")
    sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)
sys.path.insert(1, str(pathlib.Path(__file__).parents[1]))
from case_table import part
from formula import shortened
from library import build_caller
from named import named_cases
from processes import verify_all
from random_cases import WAYS, random_case
from refusals import BROKEN, group_of, lacks
from verify import Verdict, command, verify

HERE = pathlib.Path(__file__).parent


def options():
    """Returns the parsed arguments. Exits if the arguments are wrong, or if the device is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*",
                        help="single cases to verify: names of named cases, or WAY-SEED for a random case")
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parents[1] / "build" / "bin" / "heddle",
                        help="the program heddle (default: %(default)s)")
    parser.add_argument("--named", action="store_true", help="verify the named cases")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first random case")
    parser.add_argument("--cases", type=int, default=0, help="the number of random cases")
    parser.add_argument("--ways", default=",".join(WAYS), help="the kinds of random cases (default: %(default)s)")
    parser.add_argument("--part", type=part, default="0/1",
                        help="I/N: only every N-th case, beginning with case I; the first case is 0")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or vulkan (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="the number of cases that are verified in parallel")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="begin no case after this number of seconds")
    parser.add_argument("--keep", type=pathlib.Path, help="the folder for the models of failing cases, or of all cases "
                        "that are named on the command line")
    parser.add_argument("--known", type=pathlib.Path, default=HERE / "known.txt",
                        help="a list of cases that are known to fail (default: %(default)s)")
    parser.add_argument("--fixed", action="store_true",
                        help="compile each case for one choice of its sizes, without ranges")
    parser.add_argument("--show-refusals", action="store_true", help="print the messages of refused cases")
    chosen = parser.parse_args()
    devices = run([chosen.heddle, "devices"], stdout=PIPE, text=True).stdout
    if chosen.device != "cpu" and f"{chosen.device}:" not in devices:
        print(f"sizes.py: this machine has no device {chosen.device}")
        sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)
    if unknown := set(chosen.ways.split(",")) - set(WAYS):
        parser.error(f"--ways: unknown kinds of random cases: {', '.join(sorted(unknown))}")
    return chosen


class CaseResult:
    """The result of a case. `empty`: whether a tensor is empty at some size. `missing`: what the message of a rejection
    lacks (refusals.lacks). `repeat`: a command that repeats the compilation or the case. `formula`: the output as
    text."""

    def __init__(self, verdict, empty=False, missing=(), repeat="", formula=""):
        self.verdict, self.empty, self.missing, self.repeat, self.formula = verdict, empty, missing, repeat, formula


def find_case(key, named):
    """Returns the Case with this name, and its Examined. The name of a random case is WAY-SEED. `named` maps names to
    the named cases."""
    if key in named:
        return named[key], named[key].examine()
    way, _, seed = key.rpartition("-")
    if way not in WAYS or not seed.isdigit():
        sys.exit(f"sizes.py: unknown case {key}")
    return random_case(way, int(seed))


def keys_of(chosen, named):
    """Returns an iterator over the names of the cases that the arguments select."""
    if chosen.keys:
        return chosen.keys
    ways = chosen.ways.split(",")
    random = (f"{ways[i % len(ways)]}-{chosen.seed + i // len(ways)}" for i in range(chosen.cases))
    first, step = chosen.part
    return itertools.islice(itertools.chain(named if chosen.named else [], random), first, None, step)


def verify_key(key, chosen, named, caller):
    """Verifies the case with the name `key`, and returns a CaseResult. Runs in the process of the case."""
    case, examined = find_case(key, named)
    case = case.at_one_choice() if chosen.fixed else case
    folder = chosen.keep / key
    folder.mkdir(parents=True, exist_ok=True)
    verdict = verify(case, chosen.heddle, chosen.device, caller, folder)
    missing = ()
    if verdict.kind == "refused":
        if BROKEN.search(verdict.text):
            verdict = Verdict("crash", verdict.text)
        missing = lacks(verdict.text, onnx_file.nodes_of(folder / "model.onnx"), case.ranges)
    if not verdict.fails and not chosen.keys:
        shutil.rmtree(folder)
    repeat = " ".join(command(chosen.heddle, chosen.device, case, folder / "model.onnx", folder / "model.so"))
    return CaseResult(verdict, examined.empty, missing, repeat, shortened(case.value))


def group(key, named):
    """Returns the line of the report to which a case belongs: "named", or the way of a random case."""
    return "named" if key in named else key.rpartition("-")[0]


def report(found, named, show):
    """Prints a line with the counts for each way. If `show`, also prints the rejections, grouped by their messages.
    `found` maps the names of cases to their CaseResult."""
    counts = collections.defaultdict(collections.Counter)
    texts = collections.defaultdict(list)
    for key, result in found.items():
        counts[group(key, named)].update(
            [result.verdict.kind, "all", *(f"without {what}" for what in result.missing)])
        counts[group(key, named)]["empty"] += result.empty
        if result.verdict.kind == "refused":
            texts[group_of(result.verdict.text)].append(key)
    if show:
        for text, keys in sorted(texts.items(), key=lambda item: -len(item[1])):
            print(f"refused {len(keys)}: {text}\n  {' '.join(keys[:8])}")
    for way, count in counts.items():
        print(f"{way}: {count['all']} cases, {count['right']} right ({count['right'] / count['all']:.0%}), "
              f"{count['refused']} refused ({count['refused'] / count['all']:.0%}), {count['wrong']} wrong, "
              f"{count['crash']} crash; {count['empty']} have empty tensors; of the refusals "
              f"{count['without node']} name no node, {count['without two sizes']} no two sizes")


def main():
    chosen = options()
    named = named_cases()
    known = {line.split()[0] for line in chosen.known.read_text().splitlines() if line and not line.startswith("#")}
    found, failed = {}, []
    with tempfile.TemporaryDirectory() as folder:
        chosen.keep = chosen.keep or (pathlib.Path.cwd() / "kept" if chosen.keys else pathlib.Path(folder))
        caller = build_caller(chosen.heddle, chosen.device, folder)
        results = verify_all(keys_of(chosen, named), lambda key: verify_key(key, chosen, named, caller), chosen.jobs,
                             chosen.seconds)
        for key, result in results:
            if isinstance(result, str):
                result = CaseResult(Verdict("crash", result), repeat=f"sizes.py --heddle {chosen.heddle} {key}",
                                    formula=shortened(find_case(key, named)[0].value))
            found[key] = result
            if chosen.keys or result.verdict.fails:
                note = " (known)" if result.verdict.fails and key in known else ""
                print(f"{key}: {result.verdict.kind}{note}: {result.verdict.text}",
                      result.formula, result.repeat, sep="\n  ", flush=True)
            if result.verdict.fails and key not in known:
                failed.append(key)
    report(found, named, chosen.show_refusals)
    healed = sorted(key for key in known if key in found and not found[key].verdict.fails)
    if healed:
        print("these cases no longer fail; remove them from known.txt:", " ".join(healed))
    if failed:
        print("failed:", " ".join(failed))
    return bool(failed or healed)


if __name__ == "__main__":
    sys.exit(main())
