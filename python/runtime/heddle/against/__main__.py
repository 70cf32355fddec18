"""python -m heddle.against MODEL --engine NAME: compares a compiled model with another engine.

All combinations of sizes are compared if there are at most 64; otherwise at most 64 corners of their ranges and random
combinations between them are compared. An engine that computes in f64 is the reference, with the bound of `heddle
verify`: four times the error of the engine's own f32, plus a millionth of the largest result. The results of other
engines are compared in f32, within a tolerance that is printed.

Exit status: 0 all results are right, 1 a result is wrong, no result could be compared, or an error stopped the
comparison, 2 wrong usage.
"""
from __future__ import annotations

import argparse
import sys
from typing import Dict, List, Optional

import numpy as np

from .. import _types
from .._compile import compile
from ..errors import Error
from ..model import Model, load
from . import engines, inputs, points
from .comparison import compare


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 0, found {text}")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m heddle.against", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL", help="the model, as for `heddle compile`")
    parser.add_argument("--engine", required=True, choices=engines.NAMES, help="engine to compare with")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N|LOW..HIGH",
                        help="size or range of sizes of the dimension NAME (repeatable)")
    parser.add_argument("--library", metavar="LIB",
                        help="shared library that was compiled from MODEL (default: MODEL is compiled)")
    parser.add_argument("--variant", help="variant of the library to run")
    parser.add_argument("--cpus", help="CPUs to compile for (default: this machine's)")
    parser.add_argument("--threads", "-t", type=int, help="number of threads of the compiled model")
    parser.add_argument("--samples", type=_count, default=10,
                        help="number of random combinations of sizes in large ranges (default: 10)")
    parser.add_argument("--seed", type=_count, default=1, help="seed of the random sizes and inputs (default: 1)")
    parser.add_argument("--tolerance", type=float,
                        help="bound of the error, relative to the largest result (default: the bounds described above)")
    parser.add_argument("--quiet", "-q", action="store_true", help="print only wrong results and the last line")
    return parser


def _dims(texts: List[str], parser: argparse.ArgumentParser) -> Dict[str, str]:
    dims = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or name in dims:
            parser.error(f"--dim {text}: expected NAME=N, NAME=LOW..HIGH or classes (NAME=1,2..8), each name once")
        dims[name] = value
    return dims


def _compare(model: Model, arguments: argparse.Namespace) -> bool:
    """Compares the model with the engine, prints the results, and returns whether all of them are right."""
    outputs = [tensor.name for tensor in model.outputs]
    engine = engines.load(arguments.engine)(arguments.model, outputs)
    chosen, total = points.choose(model.sizes, arguments.samples, arguments.seed)
    numbers = np.random.default_rng(arguments.seed)
    right = compared = 0
    for sizes in chosen:
        given = engine.prepare(inputs.make(model, sizes, numbers))
        wide = {tensor.name: _types.from_bfloat16(given[tensor.name]) if tensor.dtype == "bfloat16" else given[tensor.name]
                for tensor in model.inputs}
        expected = engine.run(wide)
        found = model.run(given)
        where = " ".join(f"{name}={value}" for name, value in sizes.items())
        for name in [name for name in outputs if name in expected]:
            verdict = compare(found[name], expected[name], arguments.tolerance, engine.TOLERANCE)
            compared, right = compared + 1, right + verdict.ok
            if not (arguments.quiet and verdict.ok):
                print(f"{where + ': ' if where else ''}{name} {list(found[name].shape)} against {arguments.engine}: {verdict}")
    missing = [name for name in outputs if name not in expected]
    if missing:
        print(f"outputs not compared, because {arguments.engine} does not compute them: {', '.join(missing)}")
    print(f"{right} of {compared} results are right, at {len(chosen)} of {total} sizes, --seed {arguments.seed}")
    return compared > 0 and right == compared


def main(words: Optional[List[str]] = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(words)
    dims = _dims(arguments.dim, parser)
    try:
        if arguments.library:
            model = load(arguments.library, threads=arguments.threads, variant=arguments.variant)
        else:
            model = compile(arguments.model, dims=dims, cpus=arguments.cpus, threads=arguments.threads)
        with model:
            return 0 if _compare(model, arguments) else 1
    except (Error, engines.Refused) as reason:
        print(f"heddle.against: {reason}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
