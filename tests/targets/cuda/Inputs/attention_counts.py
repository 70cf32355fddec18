"""Checks the counts that `heddle bench --profile --markdown` prints for attention by tiles. Reads the table from stdin.

usage: attention_counts.py CANDIDATE FLOP INSTRUCTIONS BARRIERS

INSTRUCTIONS is the maximum number of warp instructions for 1000 floating-point operations, in all launches of the
candidate. BARRIERS is the maximum number of barriers that each warp reaches, summed over all warps.
"""
import sys

candidate, flop, most, barriers = sys.argv[1], *map(float, sys.argv[2:])
rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in sys.stdin
        if line.startswith(f"| {candidate} |")]
sums = [row for row in rows if row[1] == "sum"]
if not sums:
    sys.exit(f"no row of {candidate}")
rate, waits = 1000 * int(sums[0][4]) / flop, int(sums[0][5])
print(f"{rate:.2f} instructions for 1000 operations, {waits} barriers")
sys.exit(rate > most or waits > barriers)
