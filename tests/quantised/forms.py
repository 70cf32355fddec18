"""forms.py HEDDLE graphs|encoders|families [NAME...]: compares the results of heddle with the expected results in the
cases NAME, or in all cases. README.md describes the kinds of cases."""
import os
import sys
import tempfile
import zlib

try:
    import numpy as np
    import onnx
except ImportError:
    sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)

import directories
import heddle
import named
import verification


def seed_of(name):
    """Returns the seed of a case's random numbers."""
    return zlib.crc32(name.encode())


def graphs(program, picks):
    """Compares the cases for whose names `picks` returns true. All cases of one opset are in one file. Returns the
    failed cases (name, error), and the number of all cases."""
    files = {}
    for name, opset, *form in named.cases():
        if picks(name):
            files.setdefault(opset, []).append((name, seed_of(name), *form))
    failures = [failure for opset, cases in files.items()
                for failure in verification.verify_graphs(program, cases, opset)]
    return failures, sum(map(len, files.values()))


def folders(program, picks, cases, verify_case):
    """Compares the cases for whose names `picks` returns true, each in a directory. verify_case(program, name, case,
    folder) returns a description of the error, or None. Returns the same values as `graphs`."""
    failures, count = [], 0
    for name, *case in cases:
        if not picks(name):
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                reason = verify_case(program, name, case, folder)
            except (heddle.Refused, heddle.Crash) as error:
                reason = str(error).replace(folder, "")
            if reason:
                failures.append((name, reason))
    return failures, count


def main(program, kind, *names):
    if kind not in ("graphs", "encoders", "families"):
        sys.exit(f"forms.py: expected graphs, encoders or families, found {kind!r}")
    picks = (lambda name: name in names) if names else (lambda name: True)
    if kind == "graphs":
        verification.report(*graphs(program, picks))
    if kind == "encoders":
        verification.report(*folders(program, picks, directories.encoders(), lambda program, name, case, folder:
                                     directories.verify_encoder(program, *case, seed_of(name), folder)))
    verification.report(*folders(program, picks, directories.families(), lambda program, name, case, folder:
                                 directories.verify_family(program, *case, folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
