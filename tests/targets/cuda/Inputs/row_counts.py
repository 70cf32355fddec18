"""Checks the counts that `heddle bench --profile --markdown` prints for strategies that keep rows in registers. Reads
the table from stdin.

usage: row_counts.py STRATEGY BYTES [--barriers BARRIERS] [--tails]

BYTES is the size of all operands and results. Each of their sectors of 32 bytes is read or written once. An access of
32 lanes, 128 bits each, reads or writes 16 sectors. BARRIERS is the number of barriers at which each warp waits, summed
over all warps (0 by default). With --tails, rows are not a multiple of 512 bytes: an access to the end of a row has
fewer sectors, and two rows may share a sector.
"""
import argparse
import sys

parser = argparse.ArgumentParser()
parser.add_argument("strategy")
parser.add_argument("bytes", type=int)
parser.add_argument("--barriers", type=int, default=0)
parser.add_argument("--tails", action="store_true")
options = parser.parse_args()

sectors = options.bytes // 32
for line in sys.stdin:
    if line.startswith(f"| {options.strategy} | k0_launch0 |"):
        row = [cell.strip() for cell in line.strip("|\n").split("|")]
        barriers, counted, each = int(row[5]), int(row[8]), float(row[9])
        print(f"{barriers} barriers, {counted} sectors of {sectors}, {each} sectors a request, {row[4]} instructions")
        if barriers != options.barriers:
            sys.exit("other barriers")
        if options.tails:
            sys.exit(not sectors <= counted <= 1.1 * sectors)
        sys.exit(counted != sectors or each != 16)
sys.exit(f"no row of {options.strategy}")
