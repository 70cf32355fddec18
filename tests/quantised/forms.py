"""forms.py HEDDLE graphs [NAME...]: the named cases, or these of them, against numpy."""
import os
import sys
import zlib

try:
    import onnx
except ImportError:
    sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)

import judge
import named


def seed_of(name):
    return zlib.crc32(name.encode())


def graphs(program, picks):
    """Those of one opset are in one file."""
    files = {}
    for name, opset, *form in named.cases():
        if picks(name):
            files.setdefault(opset, []).append((name, seed_of(name), *form))
    failures = [failure for opset, cases in files.items() for failure in judge.judge_graphs(program, cases, opset)]
    return failures, sum(map(len, files.values()))


def main(program, kind, *names):
    picks = (lambda name: name in names) if names else (lambda name: True)
    judge.report(*{"graphs": graphs}[kind](program, picks))


if __name__ == "__main__":
    main(*sys.argv[1:])
