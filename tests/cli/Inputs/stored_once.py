"""stored_once.py LIBRARY REPORT ALONE: fails unless LIBRARY contains each weight once.

LIBRARY has code for several CPUs and for several classes of sizes (subranges of a size). REPORT is the output of
`heddle compile --json` for LIBRARY; ALONE is the output for a library with code for one CPU and one class. The part of
LIBRARY that is neither code nor weights should contain only descriptions and tables, so it may have at most MOST bytes.
With a second copy of a matrix, or a copy of a table for each CPU, this part would exceed the limit.
"""
import json
import os
import struct
import sys

MOST = 80 << 10


def sections(path):
    """Returns the names and sizes in bytes of an ELF file's sections."""
    with open(path, "rb") as file:
        data = file.read()
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    text = headers[names][4]
    for name, _, _, _, _, length, *_ in headers:
        yield data[text + name:data.index(b"\0", text + name)].decode(), length


def weights_of(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    return report["weights_bytes"], len(report["variants"])


library, report, alone = sys.argv[1:]
(weights, variants), (once, _) = weights_of(report), weights_of(alone)
code = sum(length for name, length in sections(library) if name.startswith(".text"))
others = os.path.getsize(library) - code - weights
print(f"{variants} variants: {weights} bytes of weights, alone {once}; {code} of code, {others} of everything else")
if once < 8 * MOST:
    sys.exit("the weights are too small to detect a second copy of one")
if not once <= weights <= once * 1.02 or others > MOST:
    sys.exit("a weight or other data is stored twice")
